// Makes base images where no registry is in reach, for tests and development: berth-base/debian, node, python, go, as far
// as asked for. `node tools/base-images/main.ts [--missing] [--suite bookworm] [--mirror URL] [node] [python] [go]`.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { deriveImage } from './derive-image.ts';
import { findNpm } from './find-npm.ts';
import { makeRoot } from './make-root.ts';

/** Files for the build context of each image: name there → local path. */
const FILES: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  node: () => ({ node: process.execPath, npm: findNpm(process.env['PATH'] ?? '') }),
  python: () => ({}),
  // Debian's Go is older than current modules require.
  go: () => ({ go: execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim() }),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    missing: { type: 'boolean', default: false },
    suite: { type: 'string', default: 'bookworm' },
    mirror: { type: 'string', default: 'http://deb.debian.org/debian' },
  },
});
const wanted = positionals.length > 0 ? positionals : Object.keys(FILES);
const unknown = wanted.filter((name) => !(name in FILES));
if (unknown.length > 0)
  throw new Error(`no such image: ${unknown.join(', ')}; there are ${Object.keys(FILES).join(', ')}`);

const { docker } = await openEngine(parseEngineAddress(process.env['BERTH_TEST_ENGINE'] ?? process.env['DOCKER_HOST']));
const make = async (name: string, work: () => Promise<void>): Promise<void> => {
  const image = `berth-base/${name}`;
  const isThere = await docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );
  if (values.missing && isThere) return;
  const begun = performance.now();
  await work();
  console.log(`${image} made in ${Math.round((performance.now() - begun) / 1000)} s`);
};
await make('debian', () => makeRoot(docker, { ...values, image: 'berth-base/debian' }));
for (const name of wanted) {
  await make(name, () =>
    deriveImage(docker, {
      image: `berth-base/${name}`,
      dockerfile: path.join(import.meta.dirname, `${name}.Dockerfile`),
      files: FILES[name]?.() ?? {},
    }),
  );
}
