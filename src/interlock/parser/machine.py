"""The machine: one generator that takes chunks of clean text and moves through the grammar.

Theory of operation. A generator keeps its whole state in local variables, so that a
chunk costs no loading and storing of attributes. `Parser` talks to it with `send`:

- a `str` is a chunk, without surrogates (see utf8.py);
- a `Fault` says that bytes which are not text follow, and ends the document;
- `None` asks for the state: it is written to the `Core`, and nothing else happens.

A chunk is read once. What the chunk's end cuts waits in `held`: a number, a literal or
an escape, never more than `limits.number_bytes`. A string's text does not wait: it grows
in `text` and `tail`. The common case, a whole key or scalar in one chunk, is one match of
a compiled pattern; what that does not match goes through the table in grammar.py.

Offsets. `base` is the byte offset of `buf[0]`. `extra` is how many bytes more than
characters came before it, so `base - extra` is its offset in characters.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

from interlock.diagnostics import Diagnostic
from interlock.limits import Limits
from interlock.parser import tokens as t
from interlock.parser.codes import Code
from interlock.parser.events import (
    Chain,
    ContainerClosed,
    ContainerOpened,
    DiagnosticRecorded,
    DocumentComplete,
    Queued,
    RepairApplied,
    StringProgress,
    ValueCommitted,
    escape_pointer,
)
from interlock.parser.grammar import (
    AFTER_ITEM,
    AFTER_MEMBER,
    CLOSE,
    COLON,
    COMMIT,
    DONE,
    EXPECTED,
    FIRST_ITEM,
    FIRST_KEY,
    KEY,
    KEY_STRING,
    NEXT,
    NEXT_KEY,
    NEXT_VALUE,
    NUMBER,
    OPEN_ARRAY,
    OPEN_OBJECT,
    OPENINGS,
    QUOTE,
    SKIP,
    STRING,
    TERMINATORS,
    VALUE,
    WRONG,
)
from interlock.parser.results import ParserRepair
from interlock.parser.utf8 import Fault

# Remarks that do not end the document are kept up to here: a million duplicate keys are
# one problem, not a million records.
MAX_REMARKS: Final = 20

# Characters. Text moves from `tail` to `text` in pieces of this size: appending to a short
# string is cheap wherever it lies, appending to a long one may move it.
TAIL: Final = 4096

# From this many characters on, a number that goes on with digits is not matched again.
LONG_NUMBER: Final = 64

# One open container's parent: the parent, is it an object, the container's key or index in
# it, the parent's first byte, the parent's chain.
Frame = tuple[Any, bool, "str | int | None", int, Chain]
Message = str | Fault | None

# Code, index in the buffer, what was found, what was expected.
Problem = tuple[Code, int, str, str]


class Core:
    """What the machine and its owner share; the machine's own state is written here on request."""

    # The machine's state, as it was last asked for; the start is in the class.
    state = VALUE
    is_object = False
    key: Any = None
    duplicate = False
    muted = 0
    held = ""
    text = ""
    received = 0
    extra = 0
    line = 1
    line_start = 0
    node: Any

    failed = False
    failed_at: int | None = None
    root_complete = False

    def __init__(
        self, limits: Limits, *, keep_controls: bool, isolate: bool, events: bool, string_progress: bool
    ) -> None:
        self.limits = limits
        self.keep_controls = keep_controls
        self.isolate = isolate
        self.string_progress = string_progress
        self.events: list[Queued] | None = [] if events else None
        self.diagnostics: list[Diagnostic] = []
        self.repairs: list[ParserRepair] = []
        self.trailing: list[str] = []
        # A document is the only item of this list: the root needs no rule of its own.
        self.document: list[Any] = []
        self.stack: list[Frame] = []
        self.node = self.document

    def path(self, *, of_value: bool) -> str:
        """Return the pointer of the innermost container, or of the value that is next in it.

        Uses the state that the machine wrote last.
        """
        parts = [frame[2] for frame in self.stack[1:]]
        if of_value and self.stack:
            parts.append(self.key if self.is_object else len(self.node))
        return "".join(f"/{escape_pointer(str(part))}" for part in parts)

    def chain(self, container: Chain, *, of_value: bool) -> Chain:
        """Return the same place as a chain, below the innermost container's."""
        if of_value and self.stack:
            return container, (self.key or "") if self.is_object else len(self.node)
        return container

    def remark(self, code: Code, place: tuple[int, int, int], path: str, found: str, expected: str) -> None:
        """Record a diagnostic and its event."""
        offset, line, column = place
        where = f"byte {offset:,} ({shorten(path)})" if path else f"byte {offset:,}"
        diagnostic = Diagnostic(
            code=code,
            message=f"{where}: found {found}; expected {expected}",
            byte_offset=offset,
            line=line,
            column=column,
            path=path,
        )
        self.diagnostics.append(diagnostic)
        if code[0] == "E":
            self.failed = True
        if self.events is not None:
            self.events.append((DiagnosticRecorded, diagnostic))

    def duplicate_key(self, place: tuple[int, int, int], node: Any, key: str) -> None:
        """Record that an object has this key already."""
        self.node, self.is_object, self.key = node, True, key
        found = f"key {shorten(repr(key))} for the second time in one object"
        self.remark("E_DUPLICATE_KEY", place, self.path(of_value=True), found, "each key once")

    def repair(self, code: Code, offset: int, path: str, chain: Chain, *, lossy: bool) -> None:
        """Record that something was tolerated."""
        self.repairs.append(ParserRepair(code=code, byte_offset=offset, path=path, lossy=lossy))
        if self.events is not None:
            self.events.append((RepairApplied, chain, code, offset))

    def end_place(self) -> tuple[int, int, int]:
        """Return byte offset, line and column of the input's end."""
        return self.received, self.line, self.received - self.extra - self.line_start + 1


def shorten(text: str) -> str:
    """Shorten a text for a message."""
    return text if len(text) <= 80 else text[:77] + "..."


def _crowded(at: int, limit: int) -> Problem:
    expected = f"at most limits.queued_events ({limit:,})"
    return "E_LIMIT_EVENT_QUEUE", at, f"{limit:,} events that nobody drained", expected


NUMBER_RANGE: Final[tuple[str, str]] = ("a number that a double holds only as infinity", "one below 1.8e308 in size")


def _out_of_range(at: int) -> Problem:
    found, expected = NUMBER_RANGE
    return "E_NUMBER_RANGE", at, found, expected


def _place(buf: str, i: int, base: int, extra: int, line: int, line_start: int) -> tuple[int, int, int]:
    # Byte offset, line and column of buf[i]. O(i), and only called for a remark.
    newlines = buf.count("\n", 0, i)
    column = i - buf.rfind("\n", 0, i) if newlines else base - extra + i - line_start + 1
    return base + len(buf[:i].encode()), line + newlines, column


def _within(text: str, room: int) -> str:
    # The longest start of `text` that has at most `room` bytes.
    start = text[:room]
    return start if start.isascii() else start.encode()[:room].decode(errors="ignore")


def machine(core: Core) -> Generator[None, Message, None]:
    """Run the grammar over the chunks that are sent. Never raises, never returns."""
    limits = core.limits
    input_limit = limits.input_bytes
    string_limit = limits.string_bytes
    number_limit = limits.number_bytes
    depth_limit = limits.depth
    queue_limit = limits.queued_events
    trailing_limit = limits.trailing_bytes
    # A string, and the parts of a number, of at most so many characters cannot pass their limit.
    easy_string = string_limit // 4
    easy = min(easy_string, number_limit // 2)
    keep_controls = core.keep_controls
    report = core.events is not None
    events = core.events if core.events is not None else []
    progress = core.string_progress
    run = t.RUN_OR_CONTROL.match if keep_controls else t.RUN.match
    match_item = t.ITEM.match
    match_member = t.MEMBER.match
    safe_digits = t.SAFE_DIGITS
    window = min(t.WINDOW, easy)
    literals = t.LITERALS
    names: dict[str, str] = {}  # keys that were seen: equal keys are one object
    scanner: t.Scanner | None = None
    white = t.WHITE.match
    number_start = t.NUMBER_START.match

    state = VALUE
    stack = core.stack
    node: Any = core.document  # the innermost open container
    is_object = False
    key: Any = None
    start = 0  # its first byte
    chain: Chain = None  # its place
    muted = 0  # from this depth on nothing is shown: the value of a duplicate key
    duplicate = False  # the next value belongs to a duplicate key
    value: Any = None
    root_start = 0
    after = 0  # bytes after the document's end

    held = ""
    text = tail = ""  # the open string so far
    size = 0  # bytes from its quote to here
    string_start = 0  # byte offset of its quote
    quote_at = -1  # index of its quote in `buf`, -1 when that was an earlier chunk's
    string_place = (0, 0, 0)  # then: the place of its quote
    controls = False  # a control character of it was reported

    received = 0
    extra = 0
    line = 1
    line_start = 0
    fault: Problem | None = None

    while fault is None:
        message = yield
        if state >= STRING and not held:
            # Inside a string, the hot loop: most chunks of long documents end here.
            while (
                message.__class__ is str
                and '"' not in message
                and "\\" not in message
                and message.isprintable()  # no control character; what else it refuses goes the long way
            ):
                n = len(message) if message.isascii() else len(message.encode())
                if size + n > string_limit or received + n > input_limit:
                    break
                if progress and state == STRING and message and not (muted or duplicate):
                    if len(events) >= queue_limit:
                        break
                    place = (chain, key if is_object else len(node)) if stack else None
                    events.append((StringProgress, place, message))
                size += n
                received += n
                extra += n - len(message)
                tail += message
                if len(tail) > TAIL:
                    text += tail
                    tail = ""
                message = yield
        elif len(held) > LONG_NUMBER:
            # A long number that goes on is not read again.
            while (
                message.__class__ is str
                and message.isdigit()
                and message.isascii()
                and held[-1].isdigit()
                and len(held) + len(message) <= number_limit
                and received + len(message) <= input_limit
            ):
                held += message
                received += len(message)
                message = yield

        if not message:
            if message is None:
                core.text = ""  # so that nothing else holds the text, and it grows where it is
                text += tail
                tail = ""
                core.state = state
                core.node = node
                core.is_object = is_object
                core.key = key
                core.muted = muted
                core.duplicate = duplicate
                core.held = held
                core.text = text
                core.received = received
                core.extra = extra
                core.line = line
                core.line_start = line_start
            continue

        base = received - len(held)
        chunk = message if message.__class__ is str else ""
        n = len(chunk) if chunk.isascii() else len(chunk.encode())
        over = received + n > input_limit
        if over:
            chunk = _within(chunk, input_limit - received)
        received += n
        buf = held + chunk
        end = len(buf)
        ascii_only = buf.isascii()
        held = ""
        i = 0
        # For offsets in text that is not ASCII: the last index asked for, and its offset.
        mark = 0
        mark_at = base
        unscanned = 0 if end >= t.WORTHWHILE else end  # where to try next to read much at once
        records_from = 0  # the same for several records
        if (
            state == VALUE
            and end <= easy
            and not (stack or report or base or over)
            and (found_document := t.scan_document(buf, depth_limit)) is not None
        ):
            # Many a document is short and plain, and comes in one piece.
            document, i = found_document
            node.append(document)
            state = DONE
            core.root_complete = True

        while True:
            # Each round ends in one of three ways: `continue` after a step, `break` when the
            # chunk is used up or something is wrong, or at the bottom with a whole scalar:
            # `value`, from index `begin` (-1: from `string_start`) to `i`.
            if state >= STRING:
                j = buf.find('"', i, i + t.WINDOW)
                if j < 0:
                    j = min(end, i + t.WINDOW)
                piece = buf[i:j]
                escaped = "\\" in piece
                if escaped or not piece.isprintable():
                    j = run(buf, i, i + t.WINDOW).end()  # type: ignore[union-attr]
                    piece = buf[i:j]
                if piece:
                    room = string_limit - size
                    size += j - i if ascii_only else len(piece.encode())
                    if size > string_limit:
                        found = f"a string longer than limits.string_bytes ({string_limit:,} bytes)"
                        piece = _within(piece, room)
                        fault = "E_LIMIT_STRING_BYTES", i + len(piece), found, "its closing quote"
                        piece = run(piece)[0]  # type: ignore[index]
                    if keep_controls and not controls and (match := t.CONTROL.search(piece)):
                        controls = True
                        if len(core.repairs) < MAX_REMARKS:
                            core.node, core.is_object, core.key = node, is_object, key
                            where = _place(buf, i + match.start(), base, extra, line, line_start)
                            path = core.path(of_value=state == STRING)
                            found = f"unescaped control character {t.show(match[0])}, which was kept"
                            core.remark("W_RAW_CONTROL_CHARACTER", where, path, found, "an escape")
                            place = core.chain(chain, of_value=state == STRING)
                            core.repair("W_RAW_CONTROL_CHARACTER", where[0], path, place, lossy=False)
                    if escaped:
                        piece = t.unescape(piece)
                    if progress and state == STRING and piece and not (muted or duplicate):
                        if len(events) >= queue_limit:
                            fault = _crowded(i, queue_limit)
                            break
                        place = (chain, key if is_object else len(node)) if stack else None
                        events.append((StringProgress, place, piece))
                    i = j
                    tail += piece
                    if len(tail) > TAIL:
                        text += tail
                        tail = ""
                    if fault is not None:
                        break
                    continue
                if i == end:
                    break
                c = buf[i]
                if c != '"':
                    if c != "\\":
                        found = f"unescaped control character {t.show(c)} in a string"
                        fault = "E_UNEXPECTED_TOKEN", i, found, "an escape"
                    elif t.escape_is_open(buf[i : i + 12]):
                        held = buf[i:]
                    else:
                        fault = t.escape_fault(buf, i)
                    break
                i += 1
                value = text + tail if text else tail
                text = tail = ""
                if state == KEY_STRING:
                    key = value
                    state = COLON
                    if key in node:
                        duplicate = True
                        if len(core.diagnostics) < MAX_REMARKS:
                            where = string_place
                            if quote_at >= 0:
                                where = _place(buf, quote_at, base, extra, line, line_start)
                            core.duplicate_key(where, node, key)
                    continue
                begin = -1
                match = None
            elif i == end:
                break
            elif state == DONE:
                rest = buf[i:]
                kept = _within(rest, trailing_limit - after)
                after += len(kept.encode())
                j = white(kept).end()  # type: ignore[union-attr]
                if not core.isolate:
                    if j < len(kept):
                        fault = "E_TRAILING_DATA", i + j, f"{t.show(kept[j])} after the document", EXPECTED[state]
                        break
                elif core.trailing:
                    core.trailing.append(kept)
                elif j < len(kept):
                    core.trailing.append(kept[j:])
                    where = _place(buf, i + j, base, extra, line, line_start)
                    found = f"{t.show(kept[j])} after the document, which was set aside"
                    core.remark("W_TRAILING_TEXT_ISOLATED", where, "", found, EXPECTED[state])
                    core.repair("W_TRAILING_TEXT_ISOLATED", where[0], "", None, lossy=True)
                if len(kept) < len(rest):
                    found = f"more than limits.trailing_bytes ({trailing_limit:,} bytes) after the document"
                    fault = "E_LIMIT_INPUT_BYTES", i + len(kept), found, "the input's end"
                break
            else:
                # The common case: a whole member or item, as far as the pattern goes.
                if state > KEY or not stack:
                    match = None
                elif state <= FIRST_ITEM:
                    match = match_item(buf, i)
                else:
                    match = match_member(buf, i)
                if match is not None:
                    name, quoted, integer, fraction, literal, _, opening = match.groups()
                    if end > easy and max(len(name), len(quoted or ""), len(integer or ""), len(fraction or "")) > easy:
                        match = None  # perhaps too long: the long way measures
                if match is not None:
                    if state > FIRST_ITEM:
                        key = names.get(name)
                        if key is None:
                            key = name
                            if len(names) < t.MAX_NAMES:
                                names[name] = name
                        if key in node:
                            duplicate = True
                            if len(core.diagnostics) < MAX_REMARKS:
                                where = _place(buf, match.start(1) - 1, base, extra, line, line_start)
                                core.duplicate_key(where, node, key)
                        state = VALUE
                    if opening is not None:
                        action = OPENINGS[opening]
                        i = match.start(7)
                    else:
                        action = COMMIT
                        if quoted is not None:
                            value = quoted
                            if progress and value and not (muted or duplicate):
                                if len(events) >= queue_limit:
                                    fault = _crowded(match.start(2), queue_limit)
                                    break
                                events.append((StringProgress, (chain, key if is_object else len(node)), value))
                        elif integer is None:
                            value = literals[literal]
                        elif not fraction and len(integer) <= safe_digits:
                            value = int(integer)
                        else:
                            value = t.number_value(integer, fraction)
                            if value is None:
                                fault = _out_of_range(match.start(3))
                                break
                        i = match.start(6)
                else:
                    c = buf[i]
                    action = NEXT[state].get(c, WRONG)
                    if action == WRONG:
                        fault = "E_UNEXPECTED_TOKEN", i, t.show(c), EXPECTED[state]
                        break
                    if action == SKIP:
                        i = white(buf, i).end()  # type: ignore[union-attr]
                        continue
                    if action == NEXT_KEY:
                        state = KEY
                        i += 1
                        continue
                    if action == NEXT_VALUE:
                        state = VALUE
                        i += 1
                        continue
                if action == COMMIT:
                    pass
                elif action == QUOTE:
                    state = STRING if state <= FIRST_ITEM else KEY_STRING
                    size = 0
                    controls = False
                    quote_at = i
                    if ascii_only:
                        string_start = base + i
                    elif report:
                        string_start = mark_at = mark_at + len(buf[mark:i].encode())
                        mark = i
                    i += 1
                    whole = None if progress else t.scan_string(buf, i)
                    if whole is not None and whole[1] - i <= easy_string:
                        # The same string at the speed of the standard library.
                        text, i = whole
                    continue
                elif action <= OPEN_ARRAY:
                    if i >= unscanned and stack and not (report or duplicate) and len(stack) < depth_limit:
                        # At the speed of the standard library: as many flat objects as are whole,
                        if i >= records_from and not is_object:
                            if (found_records := t.scan_records(buf, i, window)) is not None:
                                records, i = found_records
                                node.extend(records)
                                unscanned = i
                                state = AFTER_ITEM
                                continue
                            records_from = i + window
                        # or else one whole container of any kind.
                        piece = buf[i : i + window]
                        scanner = scanner or t.container_scanner(names)
                        if (container := t.scan_container(scanner, piece, 0, depth_limit - len(stack))) is not None:
                            value, j = container
                            if is_object:
                                node[key] = value
                            else:
                                node.append(value)
                            unscanned = i = i + j
                            state = AFTER_MEMBER if is_object else AFTER_ITEM
                            continue
                        # What is read in vain stays a small multiple of what is there.
                        unscanned = i + len(piece) // 4
                    if len(stack) >= depth_limit:
                        found = f"level {depth_limit + 1:,} of open containers"
                        fault = "E_LIMIT_DEPTH", i, found, f"at most limits.depth ({depth_limit:,} levels)"
                        break
                    if report and not (muted or duplicate) and len(events) >= queue_limit:
                        fault = _crowded(i, queue_limit)
                        break
                    child: Any = {} if action == OPEN_OBJECT else []
                    slot = key if is_object else len(node)
                    stack.append((node, is_object, slot, start, chain))
                    if ascii_only:
                        start = base + i
                    elif report:
                        start = mark_at = mark_at + len(buf[mark:i].encode())
                        mark = i
                    if len(stack) > 1:
                        chain = chain, slot
                    else:
                        root_start = start
                    if duplicate:
                        # Read and checked, and shown to nobody.
                        duplicate = False
                        muted = muted or len(stack)
                    elif is_object:
                        node[key] = child
                    else:
                        node.append(child)
                    node = child
                    is_object = action == OPEN_OBJECT
                    state = FIRST_KEY if is_object else FIRST_ITEM
                    if report and not muted:
                        events.append((ContainerOpened, chain, "object" if is_object else "array", start))
                    i += 1
                    continue
                elif action == CLOSE:
                    if report and not muted:
                        if len(events) >= queue_limit:
                            fault = _crowded(i, queue_limit)
                            break
                        if ascii_only:
                            stop = base + i + 1
                        else:
                            stop = mark_at = mark_at + len(buf[mark:i].encode()) + 1
                            mark = i + 1
                        events.append((ContainerClosed, chain, "object" if is_object else "array", start, stop))
                    i += 1
                    if muted == len(stack):
                        muted = 0
                    node, is_object, key, start, chain = stack.pop()
                    if not stack:
                        state = DONE
                        core.root_complete = True
                        if report:
                            events.append((DocumentComplete, root_start, stop))
                    elif i < end and buf[i] == ",":
                        i += 1
                        state = KEY if is_object else VALUE
                    else:
                        state = AFTER_MEMBER if is_object else AFTER_ITEM
                    continue
                elif action == NUMBER:
                    j = number_start(buf, i).end()  # type: ignore[union-attr]
                    if j - i > number_limit:
                        found = f"a number longer than limits.number_bytes ({number_limit:,} bytes)"
                        fault = "E_LIMIT_NUMBER_BYTES", i + number_limit, found, "its end"
                        break
                    if j == end:
                        held = buf[i:]
                        break
                    token = buf[i:j]
                    if not t.NUMBER.fullmatch(token):
                        fault = "E_UNEXPECTED_TOKEN", j, t.show(buf[j]), t.number_wants(token)
                        break
                    if buf[j] not in TERMINATORS:
                        fault = "E_UNEXPECTED_TOKEN", j, t.show(buf[j]), "the number's end"
                        break
                    value = t.number_value(*t.split_number(token))
                    if value is None:
                        fault = _out_of_range(i)
                        break
                    begin = i
                    i = j
                else:
                    word = t.literal_word(c)
                    j = i + 1
                    while j < end and j - i < len(word) and buf[j] == word[j - i]:
                        j += 1
                    if j == end:
                        held = buf[i:]
                        break
                    if j - i < len(word):
                        fault = "E_UNEXPECTED_TOKEN", j, t.show(buf[j]), f"the rest of `{word}`"
                        break
                    if buf[j] not in TERMINATORS:
                        fault = "E_UNEXPECTED_TOKEN", j, t.show(buf[j]), f"the end of `{word}`"
                        break
                    value = literals[word]
                    begin = i
                    i = j

            # A scalar is whole: the pattern's, or the one from `begin` to `i`.
            if duplicate:
                duplicate = False
            else:
                if report and not muted:
                    j = i
                    if match is not None:
                        begin, j = t.scalar_span(match)
                    if len(events) >= queue_limit:
                        state = VALUE  # whichever way led here
                        fault = _crowded(j, queue_limit)
                        break
                    if ascii_only:
                        begin_at = base + begin if begin >= 0 else string_start
                        stop = base + j
                    else:
                        begin_at = string_start
                        if begin >= 0:
                            begin_at = mark_at + len(buf[mark:begin].encode())
                        stop = mark_at = mark_at + len(buf[mark:j].encode())
                        mark = j
                    place = (chain, key if is_object else len(node)) if stack else None
                    events.append((ValueCommitted, place, value, begin_at, stop))
                if is_object:
                    node[key] = value
                else:
                    node.append(value)
            if i < end and buf[i] == "," and stack:
                i += 1
                state = KEY if is_object else VALUE
            elif stack:
                state = AFTER_MEMBER if is_object else AFTER_ITEM
            else:
                state = DONE
                core.root_complete = True
                if report:
                    events.append((DocumentComplete, begin_at, stop))

        # The chunk is used up, or something is wrong.
        if fault is None:
            if message.__class__ is Fault:
                received += message.ignored
                fault = "E_INVALID_UTF8", end, message.message, "UTF-8"
            elif over:
                found = f"more than limits.input_bytes ({input_limit:,} bytes)"
                fault = "E_LIMIT_INPUT_BYTES", end, found, "the input's end"
            else:
                if quote_at >= 0:
                    if state == KEY_STRING:
                        string_place = _place(buf, quote_at, base, extra, line, line_start)
                    quote_at = -1
                if "\n" in chunk:
                    line += buf.count("\n")
                    line_start = base - extra + buf.rfind("\n") + 1
                extra += n - len(chunk)
                # A long chunk is not kept until the next one comes.
                message = chunk = buf = piece = rest = kept = ""
                match = None

    # Something was wrong: the machine only counts from here on.
    code, at, found, expected = fault
    core.state, core.node, core.is_object, core.key = state, node, is_object, key
    core.muted, core.duplicate = muted, duplicate
    core.held = ""
    core.text = text + tail
    where = _place(buf, at, base, extra, line, line_start)
    core.failed_at = where[0]
    of_value = state <= FIRST_ITEM or state == STRING
    core.remark(code, where, core.path(of_value=of_value), found, expected)
    message = chunk = buf = piece = rest = kept = text = tail = ""
    match = None
    while True:
        core.received = received
        message = yield
        if isinstance(message, str):
            received += len(message.encode())
        elif message is not None:
            received += message.ignored
