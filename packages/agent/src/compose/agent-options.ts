import type { Connector } from '@berth/agent-connectors';
import type { AuthProvider, Handler, OutboundOptions } from '@berth/agent-core';
import type { RenderOptions } from '@berth/agent-render';
import type { LoopOptions } from '../loop/loop-options.ts';
import type { SiteOptions } from '../metadata/site-options.ts';
import type { SpeechOptions } from '../speech/speech-options.ts';

/** What an agent is. It has a `handler`, or a `model` with what the built-in loop takes besides. */
export interface AgentOptions extends Partial<LoopOptions>, SiteOptions {
  /** Lower-case name, as in its address; the default of everything that is shown. */
  readonly name: string;
  /** Shown to people; `name` by default. */
  readonly title?: string;
  readonly description?: string;
  /** Who may talk to it. Without it anybody may, nothing is stored, and the routes of state are not there. */
  readonly auth?: AuthProvider;
  /** Answers each turn, instead of a model with the built-in loop. */
  readonly handler?: Handler;
  /** Turns what people say into text, by any server with OpenAI's `/audio/transcriptions`. */
  readonly speech?: SpeechOptions;
  /** Shows office files as PDF and slides; the LibreOffice of this machine by default, where it is. Needs `auth`. */
  readonly render?: RenderOptions;
  /** Folder of a page of your own, as a bundler made it, instead of the one that comes with the library. */
  readonly page?: string;
  /** Megabytes (2^20 bytes) of one upload; 512 by default. */
  readonly maxUploadMb?: number;
  /**
   * Where the agent's features may ask besides the public internet: `{ allowedNetworks: ['10.1.0.0/16'] }`, the comma list
   * of `BERTH_AGENT_ALLOWED_NETWORKS` by default.
   */
  readonly outbound?: OutboundOptions;
  /** People work in teams too, which every `member` may make, or only each `admin` of an organisation. Needs `auth`. */
  readonly workspaces?: 'member' | 'admin';
  /** Folder of what is kept; `BERTH_AGENT_DATA`, else the first writable volume of `BERTH_VOLUMES`, else `./data`. */
  readonly dataFolder?: string;
  /** Several instances share a Postgres; `DATABASE_URL` by default, SQLite in the data folder without it. */
  readonly databaseUrl?: string;
  /** Systems that people may connect: `mcp({ … })`, `oauth({ … })`, `key({ … })`. They need `auth`. */
  readonly connectors?: readonly Connector[];
  /**
   * Seal what people connect with: `id:base64,id:base64`, each 32 bytes, the first one current; `BERTH_AGENT_KEYS` by default,
   * else a file in the data folder.
   */
  readonly secretKeys?: string;
}
