import { expect, test } from 'vitest';
import { createBuilderFixture } from './testing/builder-fixture.ts';

const REGISTRY = 'https://registry.npmjs.org';

/** The environment that builds need to reach registries from this machine, as an operator would set it. */
const machineSettings = () =>
  Object.fromEntries(
    ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

test('a package of the npm registry is installed, and comes from the cache the next time', {
  timeout: 120_000,
}, async (context) => {
  await using fixture = await createBuilderFixture({ env: machineSettings() });
  if (!(await fixture.sandbox.findProgram('npm'))) context.skip('there is no npm here');
  const isReachable = await fetch(`${REGISTRY}/ms`, { method: 'HEAD', signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isReachable) context.skip(`${REGISTRY} is out of reach`);

  const project = {
    'package.json': JSON.stringify({ main: 'server.js', dependencies: { ms: '2.1.3' } }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { ms: '2.1.3' } },
        'node_modules/ms': { version: '2.1.3', resolved: `${REGISTRY}/ms/-/ms-2.1.3.tgz` },
      },
    }),
    'server.js': `require('node:http').createServer((q, r) => r.end(require('ms')(60000))).listen(process.env.PORT, '0.0.0.0');`,
  };
  const first = await fixture.build(project);
  expect(first.said).toContain('$ npm ci');
  expect(await fixture.ask(first.result.artifact, '/')).toEqual({ status: 200, text: '1m' });
  const second = await fixture.build(project);
  expect(second.said).toContain('Dependencies unchanged: using the cached node_modules');
  expect(await fixture.ask(second.result.artifact, '/')).toEqual({ status: 200, text: '1m' });
});
