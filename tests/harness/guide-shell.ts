import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Berth, REPO } from './berth.ts';

const run = promisify(execFile);

/** How an operator starts the server is not for one that runs. */
const STARTS_SERVER = /^(BERTH_\w+=\S+ )*npm start.*$/gm;

/**
 * Returns the code blocks of a guide that begin with "```INFO", in order: those of all sections, or of the one below `heading`.
 * @throws Error when there is no such section
 */
export function guideBlocks(guide: string, info: string, heading?: string): readonly string[] {
  let text = readFileSync(path.join(REPO, 'docs/guides', `${guide}.md`), 'utf8');
  if (heading !== undefined) {
    const section = text.split(/^##+ /m).find((one) => one.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`docs/guides/${guide}.md has no section "${heading}"`);
    text = section;
  }
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, found, block = '']) =>
    found === info ? [block] : [],
  );
}

/** The shell of a guide's reader: `berth` and `npx` are those of this repo, signed in to the server under test. */
export interface GuideShell {
  /**
   * Runs a block as it stands, up to its first failure. @returns what it printed on both outputs
   * @throws Error with the block and its output
   */
  run(block: string): Promise<string>;
}

/** Opens a {@link GuideShell} in `folder`, with more variables in `environment`. */
export function openGuideShell(
  berth: Berth,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): GuideShell {
  const shims = path.join(folder, '.bin');
  const berthCommand = `exec "${process.execPath}" "${path.join(REPO, 'apps/cli/bin/berth.js')}"`;
  writeProgram(shims, 'berth', `${berthCommand} "$@"`);
  writeProgram(shims, 'npx', `shift; ${berthCommand} "$@"`);
  const env = {
    PATH: `${shims}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    KEY: berth.key,
    BERTH_URL: berth.url,
    BERTH_API_KEY: berth.key,
    // npm reaches the registry through whatever the machine trusts.
    ...(process.env['NODE_EXTRA_CA_CERTS'] && { NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] }),
    ...environment,
  };
  return {
    async run(block) {
      const script = block.replace(STARTS_SERVER, '').replaceAll('localhost:8787', `localhost:${berth.port}`);
      try {
        const { stdout, stderr } = await run('bash', ['-c', `set -euo pipefail\n${script}`], { cwd: folder, env });
        return stdout + stderr;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`${block}\n${stdout}\n${stderr}`, { cause: error });
      }
    },
  };
}

function writeProgram(folder: string, name: string, line: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`);
  chmodSync(path.join(folder, name), 0o755);
}
