// Runs histories through the AI SDK as an application would, without a network.
//
// stdin:  a JSON array of {"sdk": "ai" | "ai-v5" | "ai-v7", "form": "model" | "ui", "messages": [...]}
// stdout: a JSON array, one {"ok": true, "prompt": [...]} or {"ok": false, "error": name, "message": text} each
import { readFileSync } from 'node:fs';

const MODEL = { ai: 'v3', 'ai-v5': 'v2', 'ai-v7': 'v4' };
const sdks = {};
globalThis.AI_SDK_LOG_WARNINGS = false;

async function run({ sdk, form, messages }) {
  const ai = (sdks[sdk] ??= await import(sdk));
  let prompt;
  const model = {
    specificationVersion: MODEL[sdk],
    provider: 'none',
    modelId: 'none',
    supportedUrls: { '*/*': [/.*/] },
    async doGenerate(options) {
      prompt = options.prompt;
      return {
        content: [{ type: 'text', text: 'fine' }],
        finishReason: sdk === 'ai-v5' ? 'stop' : { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: sdk === 'ai-v5' ? 1 : { total: 1 },
          outputTokens: sdk === 'ai-v5' ? 1 : { total: 1 },
          totalTokens: 2,
        },
        warnings: [],
      };
    },
  };
  try {
    let history = messages;
    if (form === 'ui') {
      await ai.validateUIMessages({ messages });
      history = await ai.convertToModelMessages(messages);
    }
    await ai.generateText({ model, messages: history, maxRetries: 0, allowSystemInMessages: true });
    return { ok: true, prompt };
  } catch (error) {
    return { ok: prompt !== undefined, prompt, error: error.name, message: String(error.message).slice(0, 500) };
  }
}

const jobs = JSON.parse(readFileSync(0, 'utf8'));
const out = [];
for (const job of jobs) out.push(await run(job));
process.stdout.write(JSON.stringify(out));
