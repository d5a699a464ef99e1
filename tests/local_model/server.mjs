// A real, tiny language model behind the chat completions interface, for one test: node server.mjs MODEL.gguf
//
// The model (135 million parameters) knows no tools and follows no schema by itself. So each request is turned into a
// plain chat with worked examples, and a grammar leaves it no other output than one call of an offered tool, or an
// answer. What it calls, with which arguments, and what it answers, is its own.
//
// POST /only/TOOL/v1/chat/completions offers it TOOL alone, whatever the client offers: choosing among many tools is
// more than a model of this size can do reliably. The first line of output is `listening PORT`.

import http from "node:http";
import { getLlama, LlamaCompletion, LlamaGrammar } from "node-llama-cpp";

const MODEL = "smollm2-135m";
const CONTEXT_TOKENS = 4096;
const REPLY_TOKENS = 160;
const SEEN_CHARACTERS = 600;

/** A finished exchange for each tool: what such a call looks like, and an answer after it. */
const EXAMPLES = {
  read_file: ["What does agenda.txt say?", { path: "agenda.txt" }, "Lunch with Ada at one.", "Lunch with Ada at one."],
  write_file: ["Write the text see you soon into the file bye.txt.", { path: "bye.txt", content: "see you soon" }, "Wrote bye.txt.", "Done."],
};

const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 2 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

/** What is generated is one JSON object: a call, or `{"answer": …}`. */
const calling = (name, args) => JSON.stringify({ tool: name, ...args });
const answering = (text) => JSON.stringify({ answer: text });

function words(content) {
  if (typeof content === "string") return content;
  return (content ?? []).filter((part) => part.type === "text").map((part) => part.text).join("");
}

/** The conversation as the model reads it: who says what, oldest first. */
function conversation(request, tools) {
  const shape = (tool) => calling(tool.name, Object.fromEntries(required(tool).map((name) => [name, "…"])));
  const turns = [["system", `You answer with one JSON object. Either a tool:\n${tools.map(shape).join("\n")}\nor, when you know enough:\n${answering("…")}`]];
  for (const tool of tools) {
    const example = EXAMPLES[tool.name];
    if (!example) continue;
    const [question, args, result, answer] = example;
    turns.push(["user", question], ["assistant", calling(tool.name, args)], ["user", `Result: ${result}`], ["assistant", answering(answer)]);
  }
  for (const message of request.messages) {
    const text = words(message.content).slice(0, SEEN_CHARACTERS);
    if (message.role === "user") turns.push(["user", text]);
    else if (message.role === "tool") turns.push(["user", `Result: ${text}`]);
    else if (message.role === "assistant" && message.tool_calls?.length > 0) {
      const call = message.tool_calls[0].function;
      turns.push(["assistant", calling(call.name, JSON.parse(call.arguments || "{}"))]);
    } else if (message.role === "assistant") turns.push(["assistant", answering(text)]);
  }
  return turns;
}

function required(tool) {
  return tool.parameters?.required ?? [];
}

/** One rule for each thing that may be said. A path can only be a file name that the person mentioned. */
function grammar(tools, mayAnswer, messages) {
  const quoted = (text) => JSON.stringify(text);
  const mentioned = messages.filter((message) => message.role === "user").map((message) => words(message.content)).join("\n");
  const names = [...new Set(mentioned.match(/[\w-]+\.[a-z]{2,4}\b/g) ?? [])];
  const value = (name) => (name === "path" && names.length > 0 ? "name" : "text");
  const forms = tools.map((tool) => {
    const fields = required(tool).map((name) => `${quoted(`,"${name}":`)} ${value(name)}`);
    return `${quoted(`{"tool":"${tool.name}"`)} ${fields.join(" ")} "}"`;
  });
  if (mayAnswer) forms.push(`${quoted('{"answer":')} text "}"`);
  return [
    `root ::= ${forms.join(" | ")}`,
    `name ::= ${names.map((name) => quoted(quoted(name))).join(" | ") || "text"}`,
    String.raw`text ::= "\"" character{1,120} "\""`,
    String.raw`character ::= [^"\\\x00-\x1f] | "\\" ["\\n]`,
  ].join("\n");
}

async function reply(request, only, signal) {
  const asked = request.messages.findLastIndex((message) => message.role === "user");
  const used = request.messages.slice(asked + 1).flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name);
  const offered = (request.tools ?? []).map((tool) => tool.function).filter((tool) => only === null || tool.name === only);
  // Each tool once in a turn; an answer only after one.
  const open = offered.filter((tool) => !used.includes(tool.name));
  const mayAnswer = open.length < offered.length || offered.length === 0;
  const turns = conversation(request, offered);
  const chat = `${turns.map(([who, text]) => `<|im_start|>${who}\n${text}<|im_end|>\n`).join("")}<|im_start|>assistant\n`;
  const tokens = model.tokenize(chat, true);
  let generated = 0;
  const text = await completion.generateCompletion(tokens, {
    grammar: new LlamaGrammar(llama, { grammar: grammar(open, mayAnswer, request.messages) }),
    maxTokens: REPLY_TOKENS,
    temperature: 0,
    seed: 1,
    signal,
    stopOnAbortSignal: true,
    onToken: (more) => (generated += more.length),
  });
  const { tool, answer, ...args } = JSON.parse(text);
  console.error(`${offered.map((it) => it.name)} → ${text}`);
  return { tool, answer, args, usage: { prompt_tokens: tokens.length, completion_tokens: generated, total_tokens: tokens.length + generated } };
}

/** The reply as server-sent events; arguments in pieces, as real servers send them. */
function stream(response, { tool, answer, args, usage }) {
  const event = (choices, more = {}) =>
    response.write(`data: ${JSON.stringify({ id: "local", object: "chat.completion.chunk", created: 0, model: MODEL, choices, ...more })}\n\n`);
  const delta = (part, finish_reason = null) => event([{ index: 0, delta: part, finish_reason }]);
  delta({ role: "assistant", content: "" });
  if (tool === undefined) {
    for (const piece of answer.match(/[^]{1,6}/gu) ?? []) delta({ content: piece });
  } else {
    const id = `call_${Math.random().toString(36).slice(2, 11)}`;
    delta({ tool_calls: [{ index: 0, id, type: "function", function: { name: tool, arguments: "" } }] });
    for (const piece of JSON.stringify(args).match(/[^]{1,8}/gu)) delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  delta({}, tool === undefined ? "stop" : "tool_calls");
  event([], { usage });
  response.end("data: [DONE]\n\n");
}

/** One request at a time: there is one sequence. */
let turn = Promise.resolve();

const server = http.createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const [, only = null] = /^\/only\/(\w+)\//.exec(pathname) ?? [];
  if (request.method !== "POST" || !pathname.endsWith("/v1/chat/completions")) {
    response.writeHead(404).end();
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (part) => (body += part)).on("end", () => {
    turn = turn.then(async () => {
      const gone = new AbortController();
      response.on("close", () => gone.abort()).writeHead(200, { "content-type": "text/event-stream" });
      const beat = setInterval(() => response.write(": at work\n\n"), 1_000);
      try {
        stream(response, await reply(JSON.parse(body), only, gone.signal));
      } catch (error) {
        console.error(error);
        response.end(`data: ${JSON.stringify({ error: { message: String(error), type: "server_error" } })}\n\n`);
      } finally {
        clearInterval(beat);
      }
    });
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening ${server.address().port}`));
