"""Pushing, looking, draining and finishing in any order."""

from __future__ import annotations

import copy

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from interlock.errors import ParserFinishedError
from interlock.parser import Parser
from support.json_documents import broken, replay, texts
from support.strict_json import same


class AnyOrder(RuleBasedStateMachine):
    """Whatever is asked in between, a parser ends like one that was never asked."""

    def __init__(self) -> None:
        super().__init__()
        self.parser = Parser()
        self.pushed = b""
        self.rest = b""
        self.events = []
        self.result = None

    @initialize(text=st.one_of(texts(), broken()))
    def take_a_document(self, text):
        self.rest = text.encode()

    @precondition(lambda self: self.rest and not self.result)
    @rule(size=st.integers(0, 6))
    def push(self, size):
        chunk, self.rest = self.rest[:size], self.rest[size:]
        self.pushed += chunk
        self.parser.push(chunk)

    @rule()
    def look(self):
        look = self.parser.snapshot()
        assert look.executable is False
        assert look.bytes_received == len(self.pushed) == self.parser.bytes_received
        assert look.root_complete == self.parser.root_complete
        assert look.diagnostics == self.parser.diagnostics
        fresh = Parser()
        fresh.push(self.pushed)
        if self.result:
            fresh.finish(self.result.reason)
        assert fresh.snapshot() == look

    @rule()
    def read_and_spoil_the_views(self):
        fresh = Parser()
        fresh.push(self.pushed)
        if self.result:
            fresh.finish(self.result.reason)
        for view, expected in (
            (self.parser.snapshot().stable_value, fresh.stable_value),
            (self.parser.snapshot().preview, fresh.preview),
        ):
            if not getattr(self, "spoiled", False):
                assert same(view, expected)
            if isinstance(view, (dict, list)) and len(self.pushed) % 3 == 2:
                self.spoiled = True
                view.clear()

    @rule()
    def drain(self):
        self.events += self.parser.drain_events()
        assert self.parser.events_waiting == 0

    @precondition(lambda self: not self.result)
    @rule(reason=st.sampled_from(["complete", "length", "unknown"]))
    def finish(self, reason):
        self.result = self.parser.finish(reason)
        fresh = Parser()
        fresh.push(self.pushed)
        expected = fresh.finish(reason)
        assert self.result == expected
        if expected.executable:
            assert same(self.result.value, expected.value)

    @precondition(lambda self: self.result)
    @rule()
    def push_after_finish(self):
        with pytest.raises(ParserFinishedError):
            self.parser.push("1")
        assert self.parser.finish(self.result.reason) is self.result

    def teardown(self):
        self.events += self.parser.drain_events()
        fresh = Parser()
        fresh.push(self.pushed)
        if self.result:
            fresh.finish(self.result.reason)
        assert self.events == fresh.drain_events()
        assert same(replay(self.events), copy.deepcopy(fresh.stable_value))


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
