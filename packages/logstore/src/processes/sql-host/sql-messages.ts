import type { SandboxOptions, SetUpStatement } from '../../query/sql/open-sandbox.ts';
import type { SqlLimits } from '../../query/sql/run-query.ts';

/** Messages from the server to the process that runs its queries. */
export type ToSqlHost =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly account: string;
      readonly sandbox: SandboxOptions;
      readonly setUp: readonly SetUpStatement[];
      readonly query: string;
      readonly limits: SqlLimits;
    }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromSqlHost =
  /** Everything is loaded; no query was received yet. */
  | { readonly kind: 'ready' }
  /** `json` is an array of row objects. */
  | { readonly kind: 'rows'; readonly id: number; readonly json: string }
  /** `code` and `details` are set for errors that concern the caller. */
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    };
