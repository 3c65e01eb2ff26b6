import { ISOLATION } from '@berth/contract';
import { expect, test } from 'vitest';
import { localApiUrl } from '../addresses/service-address.ts';
import { type BannerOptions, banner, commandFor } from './banner.ts';

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
    operatorKey: {
      secret: 'berth_x',
      file: '/data/api-key',
      isGenerated: false,
      isChosen: false,
      isRevoked: false,
      isFirst: false,
    },
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

/** The banner of a server where everything is enforced, but for `changes`. */
const bannerWith = (changes: Partial<BannerOptions>) =>
  banner({
    version: '1.2.3',
    apiUrl: 'https://api.apps.test',
    command: 'npx berth',
    hasConsole: true,
    firstRunSecret: undefined,
    dataFolder: '/data',
    runtime: 'docker',
    adminUrl: undefined,
    protections: ISOLATION.map(({ id }) => ({ id, title: id, status: 'enforced', detail: '' })),
    startMs: 12.6,
    operatorKey: {
      secret: 'canary',
      file: '/data/api-key',
      isGenerated: false,
      isChosen: false,
      isRevoked: false,
      isFirst: false,
    },
    ...changes,
  });
const key = {
  secret: 'canary',
  file: '/data/api-key',
  isGenerated: false,
  isChosen: false,
  isRevoked: false,
  isFirst: false,
};

// Fails when the key is printed at another start than the one that made it, or once it is revoked.
test.each([
  [{ ...key, isGenerated: true }, true, 'API key   canary'],
  [key, false, 'API key   in /data/api-key'],
  [{ ...key, isChosen: true }, false, 'API key   in /data/api-key'],
  [{ ...key, isRevoked: true }, false, 'delete /data/api-key and start again'],
  [{ ...key, isChosen: true, isRevoked: true }, false, 'set another BERTH_BOOTSTRAP_KEY and start again'],
])('of the key %j the secret is shown: %s', (operatorKey, isShown, line) => {
  const text = bannerWith({ operatorKey });
  expect(text).toContain(line);
  expect(text.includes('canary')).toBe(isShown);
});

test('a server that joined others says that it has no key', () => {
  expect(bannerWith({ operatorKey: undefined })).toContain('API key   none on this server, which joined others');
});

// Fails when the link outlives the first account, or points to a console that is not there.
test('the link that creates the first account is shown with the console, until there is one', () => {
  const firstRunSecret = 'first-secret';
  expect(bannerWith({ firstRunSecret })).toContain('Console   https://api.apps.test/first-run#first-secret');
  expect(bannerWith({})).toContain('Console   https://api.apps.test\n');
  expect(bannerWith({ firstRunSecret, hasConsole: false })).not.toMatch(/Console|first-secret/);
});

test('a machine that enforces everything is not warned about; one that does not is, with every gap', () => {
  expect(bannerWith({})).not.toContain('Isolation');
  const text = bannerWith({ protections: [] });
  expect(text).toContain('Not for strangers (npx berth doctor says what to do):');
  for (const { otherwise } of ISOLATION) expect(text).toContain(otherwise);
});

test('metrics are shown where they are listened to', () => {
  expect(bannerWith({ adminUrl: 'http://127.0.0.1:9464' })).toContain('Metrics   http://127.0.0.1:9464/metrics');
  expect(bannerWith({})).not.toContain('Metrics');
  expect(bannerWith({})).toContain('Berth 1.2.3 is running (started in 13 ms)');
});

// Fails when a secret gets into systemd's journal, which more people read than the data folder.
test('output that is kept names the files of secrets, and no secret', () => {
  const operatorKey = {
    secret: 'berth_x',
    file: '/data/api-key',
    isGenerated: true,
    isChosen: false,
    isRevoked: false,
  };
  const secrets = { firstRunSecret: 's3cret', operatorKey: { ...operatorKey, isFirst: true } };
  expect(bannerWith(secrets)).toMatch(/s3cret[\s\S]*berth_x/);
  const kept = bannerWith({ ...secrets, firstRunFile: '/data/first-run' });
  expect(kept).not.toMatch(/s3cret|berth_x/);
  expect(kept).toContain('/data/first-run');
  expect(kept).toContain('/data/api-key');
});
