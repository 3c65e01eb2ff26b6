import { deployed } from '../../harness/deploy.ts';
import { uniqueName } from '../../harness/names.ts';
import { nodeProject } from '../../harness/project-files.ts';
import { request } from '../../harness/request.ts';
import type { Stage } from '../stage/open-stage.ts';

/** A service of the attacker's that runs what it is sent. It has the attacker's volume `own`. */
export interface Puppet {
  /** Runs the body of an async function that sees `fs`, `spawn` and `volume`, the path of the volume. */
  run(source: string): Promise<string>;
  /** Paths of the volume's files on the host begin with it, once the volume holds something. */
  readonly name: string;
}

export const OWN_VOLUME = 'own';

const PROGRAM = `
  import fs from 'node:fs';
  import { spawn } from 'node:child_process';
  import { createServer } from 'node:http';
  import { text } from 'node:stream/consumers';
  const [[mount, { path = mount }]] = Object.entries(JSON.parse(process.env.BERTH_VOLUMES));
  createServer(async (request, response) => {
    try {
      const act = new Function('fs', 'spawn', 'volume', 'return (async () => {' + (await text(request)) + '})()');
      response.end(String(await act(fs, spawn, path)));
    } catch (error) {
      response.end('error: ' + error.message);
    }
  }).listen(process.env.PORT, '0.0.0.0');`;

const puppets = new WeakMap<Stage, Promise<Puppet>>();

/** The attacker's puppet, deployed when first asked for. */
export function findPuppet(stage: Stage): Promise<Puppet> {
  const known = puppets.get(stage) ?? deployPuppet(stage);
  puppets.set(stage, known);
  return known;
}

async function deployPuppet({ berth, attacker }: Stage): Promise<Puppet> {
  const name = uniqueName('puppet');
  const fields = { volumes: JSON.stringify({ '/mnt/own': OWN_VOLUME }) };
  await deployed(berth, name, { files: nodeProject(PROGRAM), key: attacker.deployKey, fields });
  return {
    name,
    async run(source) {
      const options = { method: 'POST', body: source, signal: AbortSignal.timeout(15_000) };
      return (await request(berth, name, '/', options)).text;
    },
  };
}
