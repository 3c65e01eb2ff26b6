import type { Connector } from '@berth/agent-connectors';
import type { AuthProvider, Handler, OutboundOptions } from '@berth/agent-core';
import { checkRenderOptions, type RenderOptions } from '@berth/agent-render';
import { createError } from '@berth/contract';
import type { BudgetOptions } from '../budgets/create-budgets.ts';
import type { LoopOptions } from '../loop/loop-options.ts';
import type { SiteOptions } from '../metadata/site-options.ts';
import { type ArtifactOptions, checkArtifactOptions } from '../page/artifact-frame.ts';
import { checkProtocolOptions, type ProtocolOptions } from '../protocols/protocol-options.ts';
import { checkSpeechOptions, type SpeechOptions } from '../speech/create-transcriber.ts';
import { checkTaskSettings } from '../tasks/open-tasks.ts';
import type { TaskSettings } from '../tasks/task-types.ts';
import { type CorsOptions, checkCorsOptions } from './cross-origin.ts';

/** The options of `defineAgent`: a `handler`, or a `model` with the options of the built-in loop. */
export interface AgentOptions extends Partial<LoopOptions>, SiteOptions {
  /** Lower-case name, as in the address; the default title. */
  readonly name: string;
  /** Shown to people; `name` by default. */
  readonly title?: string;
  readonly description?: string;
  /** Authentication of the agent. Without it all callers may use it, nothing is stored, and the routes of state don't exist. */
  readonly auth?: AuthProvider;
  /** Answers each turn, instead of a model with the built-in loop. */
  readonly handler?: Handler;
  /** Limits in tokens and money of a turn, of a person and of all of them in a month. */
  readonly budget?: BudgetOptions;
  /**
   * Whether an answer goes on where it stopped: when its process was killed, on another instance or after a restart, and when a
   * person has decided on calls that waited for approval. True by default with a `model`. A `handler` opts in when it goes on with
   * `context.resumed`, as `loop()` does; without that its killed turns are kept as `interrupted`.
   */
  readonly resume?: boolean;
  /**
   * Whether the model writes a short title for a chat after its first answer, in the background: one more request for each
   * chat, so false by default. Without it, and when the model fails, the title is the beginning of the first message.
   */
  readonly titles?: boolean;
  /** How long calls wait for approval, and who else may decide on them. */
  readonly approvals?: ApprovalOptions;
  /** Transcribes recordings, with any server that has OpenAI's `/audio/transcriptions`. */
  readonly speech?: SpeechOptions;
  /** Shows office files as PDF and slides; by default with this machine's LibreOffice, if installed. Needs `auth`. */
  readonly render?: RenderOptions;
  /** How many background tasks an instance runs at a time, and how long ended ones are kept. */
  readonly tasks?: TaskSettings;
  /** Folder of your own page, as a bundler wrote it, in place of the library's page. */
  readonly page?: string;
  /** The hosts that pages and components written by the agent may contact when opened: `{ network: ['https://api.example.com'] }`. */
  readonly artifacts?: ArtifactOptions;
  /** Limit of one upload, in MiB; 512 by default. */
  readonly maxUploadMb?: number;
  /**
   * Networks that the agent may reach besides the public internet: `{ allowedNetworks: ['10.1.0.0/16'] }`. By default the
   * comma-separated list in `BERTH_AGENT_ALLOWED_NETWORKS`.
   */
  readonly outbound?: OutboundOptions;
  /**
   * Pages of other origins that may call the agent: `{ origins: ['https://app.example.com'] }`, or `'*'` for all. By default an
   * agent with `auth` answers pages of any origin, because each request needs a token that only the person's page has, and an
   * agent without `auth` answers its own page only, and in development those of localhost. `{ origins: [] }` is no one.
   */
  readonly cors?: CorsOptions;
  /** Adds team workspaces, created by every `member` or only by an `admin` of an organization. Needs `auth`. */
  readonly workspaces?: 'member' | 'admin';
  /** Data folder; by default `BERTH_AGENT_DATA`, else the first writable volume of `BERTH_VOLUMES`, else `./data`. */
  readonly dataFolder?: string;
  /**
   * URL of a Postgres, which several instances need; `DATABASE_URL` by default. Without it: SQLite in the data folder. Each agent has
   * a schema of its own in it, `agent_<storageName>`, unless the URL chooses one by its `search_path`.
   */
  readonly databaseUrl?: string;
  /** Name under which the agent keeps its data; `name` by default. A renamed agent keeps its data under its former name. */
  readonly storageName?: string;
  /**
   * Identifies the project of the agent: agents of one name in two projects never share data. By default `BERTH_AGENT_PROJECT`, else
   * the account and deployment on the platform, else an id in the data folder.
   */
  readonly project?: string;
  /** Standard protocols that other programs speak to the agent: `{ mcp: true }`. None by default. */
  readonly protocols?: ProtocolOptions;
  /** Systems that people may connect: `mcp({ … })`, `oauth({ … })`, `key({ … })`. Need `auth`. */
  readonly connectors?: readonly Connector[];
  /**
   * Keys that seal credentials: `id:base64,id:base64`, 32 bytes each, the first one current. By default `BERTH_AGENT_KEYS`, else a
   * file in the data folder.
   */
  readonly secretKeys?: string;
}

/** Options of calls that wait for approval. */
export interface ApprovalOptions {
  /** How long a call waits before its approval expires; 24 hours by default. At least a minute. */
  readonly expireAfterMs?: number;
  /**
   * `admins`: owners and admins of a team's workspace see the calls that wait in the chats of its members, with their arguments,
   * and may approve or deny them. By default only the person who was asked may.
   */
  readonly approvers?: 'self' | 'admins';
}

/** As in its address. Source: docs/contract/control-plane.md §2, names of deployments. */
const NAME = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Printable ASCII without spaces, so that errors can show the project as it is set. */
const PROJECT = /^[!-~]{1,200}$/;
const MIN_APPROVAL_MS = 60_000;

/** Checks options at run time, for callers without a type checker. @throws `invalid` naming the option. */
export function checkAgentOptions(options: AgentOptions): void {
  const wrong = (what: string) => createError('invalid', `defineAgent: ${what}`);
  if (typeof options?.name !== 'string' || !NAME.test(options.name)) {
    throw wrong('name must be lower-case letters, digits and dashes, from a letter, at most 63: name: "my-agent"');
  }
  const { storageName, project } = options;
  if (storageName !== undefined && (typeof storageName !== 'string' || !NAME.test(storageName))) {
    throw wrong("storageName must be a name like the agent's: storageName: 'my-former-name'");
  }
  if (project !== undefined && (typeof project !== 'string' || !PROJECT.test(project))) {
    throw wrong("project must be 1–200 printable characters without spaces: project: 'my-company/my-agent'");
  }
  if (options.workspaces !== undefined) {
    if (!['member', 'admin'].includes(options.workspaces)) {
      throw wrong("workspaces must say who can create teams: workspaces: 'member' or workspaces: 'admin'");
    }
    if (!options.auth) throw wrong('workspaces requires auth: members must sign in');
  }
  const { expireAfterMs = MIN_APPROVAL_MS, approvers = 'self' } = options.approvals ?? {};
  if (!(expireAfterMs >= MIN_APPROVAL_MS)) {
    throw wrong('approvals.expireAfterMs is a number of milliseconds, at least 60,000: expireAfterMs: 3_600_000');
  }
  if (!['self', 'admins'].includes(approvers)) throw wrong("approvals.approvers must be 'self' or 'admins'");
  if (options.speech !== undefined) checkSpeechOptions(options.speech);
  if (options.tasks !== undefined) checkTaskSettings(options.tasks);
  if (options.model !== undefined && options.handler !== undefined) throw wrong('give a handler or a model, not both');
  if (options.model !== undefined) {
    if (typeof options.model.stream !== 'function') {
      throw wrong(
        'model must be one: model: chatCompletions({ model: "…" }), anthropic({ model: "…" }) or scripted("…")',
      );
    }
  } else if (typeof options.handler !== 'function') {
    throw wrong('handler must be a function: handler: async function* ({ messages }) { yield "Hello"; }');
  }
  if (options.memory !== undefined && typeof options.memory !== 'boolean') throw wrong('memory must be true or false');
  if (options.memory && !options.auth) throw wrong('memory requires auth');
  if (options.titles !== undefined && typeof options.titles !== 'boolean') throw wrong('titles must be true or false');
  if (options.titles && !options.model) throw wrong('titles require a model: a custom handler has no model to ask');
  if (options.skills !== undefined && options.handler) {
    throw wrong('skills require a model: with a custom handler, pass them to loop({ model, skills })');
  }
  checkBudget(options, wrong);
  checkCorsOptions(options.cors, wrong);
  checkProtocolOptions(options.protocols, wrong);
  checkConnectors(options.connectors, wrong);
  checkRenderOptions(options.render, wrong);
  checkArtifactOptions(options.artifacts, wrong);
}

/** Whether the model writes the titles of chats. */
export function hasTitles({ auth, model, titles = false }: AgentOptions): boolean {
  return auth !== undefined && model !== undefined && titles;
}

function checkBudget({ budget, prices, model }: AgentOptions, wrong: (what: string) => Error): void {
  if (budget === undefined) return;
  for (const [name, limit] of Object.entries(budget)) {
    if (!['perTurn', 'perUser', 'perMonth'].includes(name))
      throw wrong(`budget has perTurn, perUser and perMonth, not ${name}`);
    const values = Object.entries(limit ?? {});
    const isRight = ([key, value]: readonly [string, unknown]) =>
      ['tokens', 'usd'].includes(key) && typeof value === 'number' && value > 0;
    if (values.length === 0 || !values.every(isRight)) {
      throw wrong(`budget.${name} is a number of tokens, of US dollars, or both: ${name}: { tokens: 200_000, usd: 5 }`);
    }
    if (model && prices === undefined && limit.usd !== undefined) {
      throw wrong(`budget.${name}.usd requires prices: without them a turn costs 0`);
    }
  }
}

function checkConnectors(connectors: AgentOptions['connectors'], wrong: (what: string) => Error): void {
  if (connectors === undefined) return;
  if (!Array.isArray(connectors) || !connectors.every((one) => typeof one?.name === 'string' && one.auth)) {
    throw wrong('connectors must be a list of mcp({ … }), oauth({ … }) and key({ … })');
  }
  const names = connectors.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(`two connectors are named "${twice}": give each a unique name`);
}
