import {
  type Component,
  callout,
  type HandlerContext,
  openSpan,
  type ResumedTurn,
  type Tool,
  ToolError,
  type TurnResult,
  type Usage,
} from '@berth/agent-core';
import { createApprovals } from '../approvals/approvals.ts';
import { MEMORY_TOOLS, memoryPrompt } from '../memory/memory-tools.ts';
import type { Model, ModelRequest, TokenUsage, ToolChoice } from '../models/model.ts';
import { ModelError } from '../models/model-error.ts';
import { withRetry } from '../models/with-retry.ts';
import { createSkills, skillsPrompt } from '../skills/create-skills.ts';
import { RUN_COMMAND } from '../tools/command/command-tool.ts';
import { traceModel } from '../tracing/trace-model.ts';
import { askModel, type ModelAnswer } from './ask-model.ts';
import { beginAnswer, stepIds } from './begin-answer.ts';
import { buildHistory } from './build-history.ts';
import { collectAnswer, isQuestion } from './collect-answer.ts';
import { type ContextWindow, createContextWindow, estimateText } from './context-window.ts';
import { loopDepsOf } from './loop-deps.ts';
import { createTurnScope, type LoopFrame } from './loop-frame.ts';
import type { Generated, LoopHandler, LoopOptions } from './loop-options.ts';
import { offerTools } from './offer-tools.ts';
import { ANSWER_TOOL, outputFormat } from './output-format.ts';
import { findPrice, readPriceFile, usageOf } from './price-book.ts';
import { type CallOptions, runCalls } from './run-calls.ts';
import { activeTools, isToStop, type LoopStep } from './step-control.ts';
import { createStructuredAnswer } from './structured-answer.ts';

const MAX_STEPS = 50;
const CONTEXT_TOKENS = 128_000;

/**
 * Returns the built-in handler: the model answers, its tool calls run, and it continues with their results until it calls no more
 * tools. `defineAgent({ model, … })` uses it; a handler of your own delegates to it: `yield* loop({ model, tools })(context)`,
 * with the context it received or a copy of it, for example with other `messages`. With `output`, the generator returns the
 * structured answer: `const { output } = yield* loop({ model, output: z.object({ … }) })(context)`.
 *
 * Invariants: (1) each call of an answer gets exactly one result before the next request to the model; (2) a call that needs
 * approval ends the turn, after the calls beside it; (3) usage is counted, also in a turn that fails.
 * @throws RangeError for two tools of one name, an `output` that is no object, and for a price file or skills that can't be read.
 */
export function loop<Output = unknown>(options: LoopOptions<Output>): LoopHandler<Output> {
  const prepared = prepareLoop(options);
  const handler = (context: HandlerContext) => runLoop(prepared, context) as ReturnType<LoopHandler<Output>>;
  return Object.assign(handler, {
    async generate(context: HandlerContext): Promise<Generated<Output>> {
      const answer = collectAnswer();
      const asked: string[] = [];
      const items = handler(context);
      let next = await items.next();
      for (; !next.done; next = await items.next()) {
        if (isQuestion(next.value)) asked.push('key' in next.value ? String(next.value.key) : '');
        else answer.add(next.value);
      }
      if (asked.length > 0) {
        const { approvals, clock } = loopDepsOf(context);
        await createApprovals(approvals, clock).withdraw(context.ownerKey, context.chatId, asked);
        throw new ToolError('A tool asks for approval, and generate() shows no card: delegate with yield* instead.');
      }
      const { output } = next.value;
      return { text: answer.text(), ...(output !== undefined && { output }) };
    },
  });
}

/** Options of a loop that were checked and read. */
export type PreparedLoop = ReturnType<typeof prepareLoop>;

/** Checks and reads the options of a loop. @throws RangeError as {@link loop} does. */
export function prepareLoop<Output>(options: LoopOptions<Output>) {
  const { prices, output, maxSteps = MAX_STEPS } = options;
  const hasCommands = options.tools?.some(({ name }) => name === RUN_COMMAND) === true;
  const skills = options.skills === undefined ? undefined : createSkills(options.skills, hasCommands);
  const tools = [...(options.tools ?? []), ...(skills ? [skills.tool] : []), ...(options.memory ? MEMORY_TOOLS : [])];
  checkNames(tools);
  return {
    ...options,
    tools,
    skills,
    maxSteps,
    prices: typeof prices === 'string' ? readPriceFile(prices) : prices,
    output: output && ('safeParse' in output ? outputFormat(output) : output),
  };
}

/** Where a loop runs: in a sub-agent's call. Without it, it is the turn's own. */
export type LoopEntry = Pick<LoopFrame, 'scope' | 'path' | 'connected' | 'suspended'>;

/** Runs a loop for one turn, or for one call of a sub-agent. */
export async function* runLoop(
  options: PreparedLoop,
  context: HandlerContext,
  entry?: LoopEntry,
): AsyncGenerator<string | Component, TurnResult> {
  const { signal, user, ownerKey, workspace, chatId, turn, log } = context;
  const deps = loopDepsOf(context);
  const { clock } = deps;
  const approvals = createApprovals(deps.approvals, clock, deps.approvalMs);
  const resumed = entry ? suspendedTurn(entry.suspended) : context.resumed;
  const earlier = entry ? [] : context.messages.flatMap((message) => message.parts ?? []);
  const parts = [...earlier, ...(resumed?.parts ?? [])];
  const scope = entry?.scope ?? createTurnScope(stepIds(parts));
  const asking = (model: Model) => traceModel(retrying(model), chatId);
  const retrying = (model: Model) =>
    withRetry(model, {
      clock,
      ...(options.maxTries !== undefined && { maxTries: options.maxTries }),
      firstByteMs: options.firstByteMs,
      onRetry: (error, waitMs) => log.warn({ error: error.message, waitMs }, 'the model is asked again'),
    });
  const report = (model: string, usage: TokenUsage, isEstimated?: boolean): Usage => {
    const one = usageOf(model, usage, options.prices, isEstimated);
    context.reportUsage(one);
    return one;
  };
  const connected = entry ? entry.connected : await deps.connectors?.open(context);
  if (!entry) {
    yield* connected?.cards ?? [];
    if (connected?.refusal !== undefined) {
      yield callout(connected.refusal, 'warning');
      return {};
    }
  }
  const services = deps.services(context);
  const { system, skills } = options;
  const available = (await skills?.list(services.files)) ?? [];
  const unused = [
    ...(skills && available.length === 0 ? [skills.tool] : []),
    ...(options.memory && !services.memory ? MEMORY_TOOLS : []),
  ].map(({ name }) => name);
  const offered = await offer(options, context, connected, unused);
  const sections = [
    offered.find(skills?.tool.name ?? '') && skillsPrompt(available),
    options.memory && services.memory && (await memoryPrompt(services.memory)),
  ];
  const withSections = (text: string | undefined) => [text, ...sections].filter(Boolean).join('\n\n') || undefined;
  const prompt = withSections(typeof system === 'function' ? await system(context) : system);
  const history = await buildHistory(context.messages, services.files);
  const frame: LoopFrame = {
    scope,
    context,
    path: entry?.path ?? [],
    options,
    connected,
  };
  const toolContext = { ...services, skillsFolder: skills?.folder, user, ownerKey, workspace, chatId, signal, log };
  const maxParallel = options.maxParallelTools;
  const callOptions: CallOptions = { tools: offered, approvals, context: toolContext, frame, clock, maxParallel };
  const decided = entry ? (entry.suspended?.decided ?? []) : await approvals.take(ownerKey, chatId, turn.approvals);
  const notes = entry ? undefined : connected?.notes;
  const begun = yield* beginAnswer({ history, notes, decided, parts, resumed, calls: callOptions });
  if (begun.isWaiting) {
    yield* begun.questions;
    return {};
  }
  const window = createContextWindow({
    messages: begun.messages,
    model: asking(options.model),
    contextTokens: options.contextTokens ?? findPrice(options.prices, options.model.name)?.context ?? CONTEXT_TOKENS,
    overheadTokens: () => estimateText((prompt ?? '') + JSON.stringify(offered.list)),
    signal,
    onUsage: (usage) => void report(options.model.name, usage),
  });
  // A sub-agent answers the model, which knows nothing of the program.
  const client = entry ? undefined : turn.client;
  const structured = options.output && createStructuredAnswer(options.output, client !== undefined);
  const steps: LoopStep[] = [];
  let isForced = false;
  while (steps.length < options.maxSteps) {
    await context.checkBudget();
    await window.fit(isForced);
    const stepNumber = steps.length;
    const settings =
      (await options.prepareStep?.({ stepNumber, steps: [...steps], messages: window.messages, context })) ?? {};
    const model = settings.model ?? options.model;
    const tools = activeTools(offered, settings.activeTools);
    const stepPrompt = settings.system === undefined ? prompt : withSections(settings.system);
    const own = tools.list.filter(({ name }) => !client?.tools.some((tool) => tool.name === name));
    const list = [...own, ...(client?.tools ?? [])];
    const names = list.map(({ name }) => name);
    const plain: ModelRequest = {
      messages: settings.messages ?? window.messages,
      tools: list,
      ...choiceOf(settings.toolChoice ?? firstChoice(client?.toolChoice ?? options.toolChoice, stepNumber), names),
      signal,
      ...(stepPrompt && { system: stepPrompt }),
    };
    using span = openSpan('step', { attributes: { 'berth.step.number': stepNumber + 1 } });
    let answer: ModelAnswer;
    try {
      const onCut = (text: string) => void report(model.name, window.estimate(text), true);
      const request = structured ? structured.request(plain, model) : plain;
      const answerTool = structured && ANSWER_TOOL;
      const asked = askModel(asking(model), request, { taken: scope.taken, onCut, answerTool });
      answer = yield* span?.around(asked) ?? asked;
    } catch (error) {
      // The estimate was too low: compact and try again.
      if (isForced || !(error instanceof ModelError) || error.fault !== 'context_full') throw error;
      isForced = true;
      continue;
    }
    isForced = false;
    const counted = window.count(answer);
    const usage = report(answer.model, counted.usage, counted.isEstimated);
    const isClients = ({ tool }: { readonly tool: string }) => client?.tools.some(({ name }) => name === tool) === true;
    const clientCalls = answer.calls.filter(isClients);
    const calls = answer.calls.filter((call) => !isClients(call) && (!structured || call.tool !== ANSWER_TOOL));
    const ran = runCalls(calls, { ...callOptions, tools }, begun.done);
    const results = calls.length > 0 ? yield* span?.around(ran) ?? ran : { messages: [], questions: [] };
    steps.push(toStep(stepNumber, answer, results.messages, usage));
    if (clientCalls.length > 0) {
      yield* results.questions;
      return { ...resultOf(window), finishReason: 'tool_calls', clientCalls };
    }
    const outcome = structured?.read(answer, model);
    if (outcome && 'value' in outcome) {
      yield outcome.text;
      return { ...resultOf(window), output: outcome.value };
    }
    if (calls.length === 0 && !outcome) {
      yield* client ? heldText(answer, structured) : sayEnd(answer);
      return { ...resultOf(window), finishReason: FINISH_REASONS[answer.reason] };
    }
    if (answer.content.length > 0) window.add({ role: 'assistant', content: answer.content });
    window.add(...results.messages, ...(outcome?.messages ?? []));
    if (results.questions.length > 0) {
      yield* results.questions;
      return resultOf(window);
    }
    if (calls.length > 0 && (await isToStop(options.stopWhen, steps))) return resultOf(window);
  }
  if (!client) yield callout(`Stopped after ${options.maxSteps} steps. Send a message to continue.`, 'warning');
  return { ...resultOf(window), finishReason: 'length' };
}

/** Decides about each tool, once per turn. */
async function offer(
  { tools, isToolAllowed }: PreparedLoop,
  context: HandlerContext,
  connected: LoopFrame['connected'],
  unused: readonly string[],
) {
  const { user, ownerKey, turn, log } = context;
  const { settings } = loopDepsOf(context);
  const offered = connected ? [...tools, ...connected.tools] : tools;
  const [modes, definitions] =
    user && offered.length > 0
      ? await Promise.all([settings.toolModes(ownerKey), settings.toolDefinitions(ownerKey)])
      : [{}, {}];
  const decided = await offerTools({
    tools: offered,
    user,
    disabled: [...turn.disabledTools, ...unused],
    choices: { modes, definitions },
    auto: turn.auto,
    onUnavailable(tool, problem) {
      if (told.has(tool)) return;
      told.add(tool);
      log.warn({ tool: tool.name }, `${tool.name} is not offered: ${problem}`);
    },
    ...(isToolAllowed && { isToolAllowed }),
  });
  return connected?.defer(decided) ?? decided;
}

/** Unavailable tools that were already logged. */
const told = new WeakSet<Tool>();

function checkNames(tools: readonly Tool[]): void {
  const names = new Set<string>([ANSWER_TOOL]);
  for (const { name } of tools) {
    if (name === ANSWER_TOOL) throw new RangeError(`"${name}" is reserved for structured output: choose another name.`);
    if (names.has(name)) throw new RangeError(`Two tools have the name "${name}".`);
    names.add(name);
  }
}

/** Returns the answer of a sub-agent that goes on. */
function suspendedTurn(suspended: LoopFrame['suspended']): ResumedTurn | undefined {
  if (!suspended) return undefined;
  return { reason: suspended.decided.length > 0 ? 'decision' : 'restart', parts: suspended.parts };
}

/** A choice that makes the model call tools applies to the first step: at each step, the turn would never end. */
function firstChoice(choice: ToolChoice = 'auto', stepNumber: number): ToolChoice {
  return stepNumber === 0 || choice === 'none' ? choice : 'auto';
}

/** Returns the choice for a request. A tool that the person has switched off can't be required. */
function choiceOf(choice: ToolChoice, names: readonly string[]): Pick<ModelRequest, 'toolChoice'> {
  const isOffered = typeof choice === 'string' || names.includes(choice.tool);
  return choice === 'auto' || !isOffered ? {} : { toolChoice: choice };
}

function toStep(
  stepNumber: number,
  { content, calls, reason }: ModelAnswer,
  toolResults: LoopStep['toolResults'],
  usage: Usage,
): LoopStep {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { stepNumber, text, toolCalls: calls, toolResults, reason, usage };
}

function resultOf({ summary }: ContextWindow): TurnResult {
  return summary === undefined ? {} : { internal: [{ role: 'system', content: summary }] };
}

function* sayEnd({ reason, content }: ModelAnswer): Generator<Component> {
  const hasText = content.some((part) => part.type === 'text');
  if (reason === 'length') yield callout("The answer was cut off at the model's output limit.", 'warning');
  else if (reason === 'refusal' && !hasText) yield callout('The model declined to answer.', 'warning');
  else if (!hasText) yield callout('The model returned an empty answer.', 'info');
}

/** Why an answer ended, as programs are told. Source: OpenAI's API reference, "The chat completion object". */
const FINISH_REASONS = { stop: 'stop', tool_calls: 'stop', length: 'length', refusal: 'content_filter' } as const;

/** Yields the text of a structured answer that ended before it was complete, which was held back until then. */
function* heldText({ content }: ModelAnswer, structured: unknown): Generator<string> {
  if (structured) for (const part of content) if (part.type === 'text') yield part.text;
}
