import { createError, type ErrorCode } from '@berth/contract/errors';
import { runServerProgram } from '../server-program/run-server-program.ts';
import type { AdaptedValue } from './run-migration.ts';

/** Numbers of objects and bytes that a pass copied, or would copy. */
export interface MirroredObjects {
  readonly copied: number;
  readonly copiedBytes: number;
  readonly unchanged: number;
  readonly unchangedBytes: number;
  readonly removed: number;
  /** Objects that changed while they were copied. */
  readonly changing: number;
}

/** A volume in a {@link MovedPlatform}. */
export interface MovedVolume extends MirroredObjects {
  readonly account: string;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly from: 'copied' | 'there' | 'empty';
  readonly leftOut: { readonly links: number; readonly folders: number };
}

/** A deployment in a {@link MovedPlatform}. */
export interface MovedDeployment {
  readonly account: string;
  readonly name: string;
  readonly revision: string | null;
  readonly becomes: 'rebuilt' | 'pushed' | 'kept' | 'unable' | 'none';
  readonly reason: string | null;
  readonly files: number;
  readonly sizeBytes: number;
  readonly earlier: number;
}

/** The result of a step. Its shape is that of `apps/server/src/move-platform/move-platform.ts`. */
export interface MovedPlatform {
  readonly isSwitched: boolean;
  readonly place: string;
  readonly masterKey: string;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly sha256?: string }[];
  readonly volumes: readonly MovedVolume[];
  readonly deployments: readonly MovedDeployment[];
  readonly deploys: readonly { readonly id: string; readonly deployment: string }[];
  readonly logs: {
    readonly segments: MirroredObjects;
    readonly leftSegments: number;
    readonly openLogs: number;
    readonly openBytes: number;
  };
  readonly certificates: number;
}

/** Something that was copied. */
export interface MoveProgress {
  readonly kind: 'volume' | 'source' | 'image' | 'log' | 'table';
  readonly name: string;
  readonly sizeBytes: number;
}

/** Options of {@link runPlatformMove}. */
export interface RunPlatformMoveOptions {
  readonly dataFolder: string;
  readonly step: 'plan' | 'copy' | 'switch';
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  onProgress(progress: MoveProgress): void;
  onAdapted(value: AdaptedValue): void;
}

type Line =
  | { readonly progress: MoveProgress }
  | { readonly adapted: AdaptedValue }
  | { readonly moved: MovedPlatform | null }
  | { readonly error: { readonly code: ErrorCode; readonly message: string } };

/**
 * Runs a step of a move to Kubernetes in a process of the server's program. Returns undefined when an earlier run moved the platform.
 * @throws BerthError as the server's program says
 */
export async function runPlatformMove(options: RunPlatformMoveOptions): Promise<MovedPlatform | undefined> {
  const { dataFolder, step, environment, signal, onProgress, onAdapted } = options;
  let moved: MovedPlatform | null | undefined;
  let failure: Error | undefined;
  await runServerProgram<Line>({
    program: 'move-platform/move-platform-main.ts',
    words: [dataFolder, step],
    environment,
    signal,
    onLine(line) {
      if ('progress' in line) onProgress(line.progress);
      else if ('adapted' in line) onAdapted(line.adapted);
      else if ('moved' in line) moved = line.moved;
      else failure = createError(line.error.code, line.error.message);
    },
  });
  if (moved !== undefined) return moved ?? undefined;
  throw failure ?? createError('internal', 'The move ended early. Run the command again: it goes on where it stopped.');
}
