import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { IdRange } from '../identity/id-range.ts';
import { readProcess } from '../process-table/read-processes.ts';

/** What a server that is root holds of its machine while it runs, and what outlives it when it is killed. */
export interface MachineClaim {
  /** See `serverHash`. */
  readonly serverHash: string;
  readonly range: IdRange;
  readonly cgroupFolders: readonly string[];
}

/** The claims of all servers of this machine. */
export interface MachineClaims {
  /** Of servers that are no more, on whatever data folder; this server's earlier self among them. */
  readonly abandoned: readonly MachineClaim[];
  /** Forgets an abandoned one, when what it held was given back. */
  settle(claim: MachineClaim): void;
  /** User ids of the other servers that run. */
  taken(serverHash: string): readonly IdRange[];
  /**
   * Makes this server's own.
   * @throws Error when another running server has the same user ids.
   */
  make(claim: MachineClaim): void;
  /** Ends this server's own. */
  release(): void;
}

const Claim = z.object({
  serverHash: z.string().regex(/^[0-9a-f]{12}$/),
  range: z.object({ first: z.int().positive(), count: z.int().positive() }),
  cgroupFolders: z.array(z.string().startsWith('/sys/')),
  pid: z.int().positive(),
  startTicks: z.int().nonnegative(),
});
type Claim = z.infer<typeof Claim>;

/** @param folder Made when missing, root's alone; to be on a disk that is empty after a boot (`/run`). */
export function openMachineClaims(folder: string): MachineClaims {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const claims = readClaims(folder);
  const pathOf = (hash: string): string => join(folder, `${hash}.json`);
  let own: string | undefined;
  return {
    abandoned: claims.filter((claim) => !isHeld(claim)),
    taken: (serverHash) =>
      claims.filter((claim) => claim.serverHash !== serverHash && isHeld(claim)).map(({ range }) => range),
    settle: ({ serverHash }) => rmSync(pathOf(serverHash), { force: true }),
    make({ serverHash, range, cgroupFolders }) {
      const rival = claims.find((claim) => isHeld(claim) && claim.range.first === range.first);
      if (rival && rival.serverHash !== serverHash) {
        throw new Error(
          'Another Berth on this machine happens to use the same user ids: move one to another data folder.',
        );
      }
      own = pathOf(serverHash);
      const startTicks = readProcess(process.pid)?.startTicks ?? 0;
      const claim: Claim = { serverHash, range, cgroupFolders: [...cgroupFolders], pid: process.pid, startTicks };
      writeFileSync(`${own}.new`, JSON.stringify(claim), { mode: 0o600 });
      renameSync(`${own}.new`, own);
    },
    release() {
      if (own !== undefined) rmSync(own, { force: true });
    },
  };
}

/** Its server runs. */
function isHeld({ pid, startTicks }: Claim): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

function readClaims(folder: string): Claim[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      try {
        return [Claim.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))];
      } catch {
        return [];
      }
    });
}
