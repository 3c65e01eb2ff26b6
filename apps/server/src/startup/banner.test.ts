import { expect, test } from 'vitest';
import { localApiUrl } from '../addresses/service-address.ts';
import { banner, commandFor } from './banner.ts';

const defaults = { url: 'http://localhost:8787', dataFolders: ['/repo/.berth'] };

// Fails when `commandFor` answers `npx berth` alone: the command then asks another server, or has no key.
test.each([
  ['http://localhost:8787', '/repo/.berth', 'npx berth'],
  ['http://localhost:9000', '/repo/.berth', 'BERTH_URL=http://localhost:9000 npx berth'],
  ['http://localhost:8787', '/srv/berth', 'BERTH_DATA=/srv/berth npx berth'],
  ['http://10.0.0.5:80', "/srv/it's", "BERTH_URL=http://10.0.0.5:80 BERTH_DATA='/srv/it'\\''s' npx berth"],
])('the command for a server at %s with its data in %s', (localUrl, dataFolder, command) => {
  expect(commandFor({ localUrl, dataFolder }, defaults)).toBe(command);
});

// Fails when the banner writes `npx berth` in place of `options.command`.
test('the banner prints its commands so that they reach this server', () => {
  const command = 'BERTH_URL=http://localhost:9000 npx berth';
  const text = banner({
    version: '1',
    apiUrl: 'http://localhost:9000',
    command,
    hasConsole: false,
    firstRunSecret: undefined,
    dataFolder: '/data',
    runtime: 'process',
    adminUrl: undefined,
    protections: [],
    startMs: 1,
    operatorKey: { secret: 'berth_x', file: '/data/api-key', isGenerated: false, isChosen: false, isRevoked: false },
  });
  expect(text).toContain(`   ${command} deploy ./my-project`);
  expect(text).toContain(`(${command} doctor `);
  expect(text.match(/npx berth/g)).toHaveLength(2);
});

test.each([
  ['localhost', 'http://localhost:80'],
  ['0.0.0.0', 'http://localhost:80'],
  ['::', 'http://localhost:80'],
  ['10.0.0.5', 'http://10.0.0.5:80'],
  ['fd00::1', 'http://[fd00::1]:80'],
])('a server that listens on %s is reached on its machine at %s', (host, url) => {
  expect(localApiUrl(host, 80)).toBe(url);
});
