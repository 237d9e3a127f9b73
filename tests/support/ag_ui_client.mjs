// AG-UI's own client reads runs: a line of JSON in, {start: {messages, state}, events}; a line of JSON out.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.argv[2] + "/");
const { AbstractAgent } = require("@ag-ui/client");
const { from } = require("rxjs");

console.warn = console.error = () => {};

class Scripted extends AbstractAgent {
  run() {
    return from(this.script);
  }
}

async function read({ start, events }) {
  const agent = new Scripted({ threadId: "t", initialMessages: start.messages, initialState: start.state });
  agent.script = events;
  try {
    await agent.runAgent({ runId: "r" });
    return { error: null, messages: agent.messages, state: agent.state };
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await read(JSON.parse(line))) + "\n");
}
