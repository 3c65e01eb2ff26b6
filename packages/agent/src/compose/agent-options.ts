import type { Connector } from '@berth/agent-connectors';
import type { AuthProvider, Handler, OutboundOptions } from '@berth/agent-core';
import type { RenderOptions } from '@berth/agent-render';
import type { LoopOptions } from '../loop/loop-options.ts';
import type { SiteOptions } from '../metadata/site-options.ts';
import type { SpeechOptions } from '../speech/speech-options.ts';

/** The options of `defineAgent`: a `handler`, or a `model` with the options of the built-in loop. */
export interface AgentOptions extends Partial<LoopOptions>, SiteOptions {
  /** Lower-case name, as in the address; the default title. */
  readonly name: string;
  /** Shown to people; `name` by default. */
  readonly title?: string;
  readonly description?: string;
  /** Who may use the agent. Without it anybody may, nothing is stored, and the routes of state don't exist. */
  readonly auth?: AuthProvider;
  /** Answers each turn, instead of a model with the built-in loop. */
  readonly handler?: Handler;
  /** Transcribes recordings, with any server that has OpenAI's `/audio/transcriptions`. */
  readonly speech?: SpeechOptions;
  /** Shows office files as PDF and slides; by default with this machine's LibreOffice, if installed. Needs `auth`. */
  readonly render?: RenderOptions;
  /** Folder of your own page, as a bundler wrote it, in place of the library's page. */
  readonly page?: string;
  /** Limit of one upload, in MiB; 512 by default. */
  readonly maxUploadMb?: number;
  /**
   * Networks that the agent may reach besides the public internet: `{ allowedNetworks: ['10.1.0.0/16'] }`. By default the
   * comma-separated list in `BERTH_AGENT_ALLOWED_NETWORKS`.
   */
  readonly outbound?: OutboundOptions;
  /** Adds team workspaces, created by every `member` or only by an `admin` of an organization. Needs `auth`. */
  readonly workspaces?: 'member' | 'admin';
  /** Data folder; by default `BERTH_AGENT_DATA`, else the first writable volume of `BERTH_VOLUMES`, else `./data`. */
  readonly dataFolder?: string;
  /** URL of a Postgres, which several instances need; `DATABASE_URL` by default. Without it: SQLite in the data folder. */
  readonly databaseUrl?: string;
  /** Systems that people may connect: `mcp({ … })`, `oauth({ … })`, `key({ … })`. Need `auth`. */
  readonly connectors?: readonly Connector[];
  /**
   * Keys that seal credentials: `id:base64,id:base64`, 32 bytes each, the first one current. By default `BERTH_AGENT_KEYS`, else a
   * file in the data folder.
   */
  readonly secretKeys?: string;
}
