import { expect, test } from 'vitest';
import { OPTIONS } from './options.ts';
import { readArguments } from './read-arguments.ts';
import { describeConfig, readConfig } from './read-config.ts';

const readingOf = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) =>
  readConfig({ flags, environment, workingFolder: '/work' });
const faultsOf = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) => {
  const reading = readingOf(flags, environment);
  return 'faults' in reading ? reading.faults : [];
};
const configOf = (flags: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) => {
  const reading = readingOf(flags, environment);
  if ('faults' in reading) throw new Error(reading.faults.join('\n'));
  return reading.config;
};

// Fails when a number is read without a check for an empty text: `--port=$PORT` without PORT would pick any port, and
// `--admin-port=` would open a listener that asks for no credential.
test.each(['port', 'admin-port', 'storage-port', 'tls-port', 'public-port', 'gateway-workers', 'suspend-after'])(
  'an empty --%s is a fault, not 0',
  (flag) => {
    for (const value of ['', '  '])
      expect(faultsOf({ [flag]: value })).toEqual([expect.stringContaining(`--${flag}: `)]);
  },
);

test.each([
  ['port', '-1'],
  ['port', '80.5'],
  ['port', 'http'],
  ['public-port', '0'],
  ['gateway-workers', '65'],
  ['idle-timeout', '0'],
  ['start-timeout', '241'],
  ['build-timeout', '9'],
  ['kept-revisions', '0'],
  ['log-retention-days', '0'],
  ['cpu-overcommit', '0'],
  ['memory-budget', 'lots'],
  ['cache-limit', '0.5'],
  ['log-cache', '63Mi'],
  ['public-scheme', 'ftp'],
  ['acme-directory', 'http://acme.example/directory'],
  ['acme-email', 'nobody'],
  ['storage-url', 'storage.example.com'],
  ['s3-endpoint', 'ftp://s3.example.com'],
  ['smtp-url', 'mail.example.com'],
  ['smtp-url', 'smtp://user@mail.example.com'],
  ['smtp-from', 'Berth <nobody>'],
  ['smtp-from', 'berth@example.com\r\nBcc: eve@example.com'],
  ['sign-up', 'yes'],
  ['runtime', 'podman'],
  ['log-level', 'loud'],
  ['host-ports', '11434,70000'],
  ['host-ports', '0'],
  ['trusted-proxies', '10.0.0.1'],
  ['base-images', 'cobol=cobol:1'],
  ['base-images', 'node'],
  ['build-args', '=value'],
  ['build-args', 'NAME='],
  ['allowed-images', 'no*de'],
])('--%s %s is refused by its name', (flag, value) => {
  expect(faultsOf({ [flag]: value })).toEqual([expect.stringContaining(`--${flag}: `)]);
});

// Fails when one bound is off by one, or a unit is lost.
test('the bounds themselves are allowed', () => {
  const given = { port: '65535', 'gateway-workers': '64', 'idle-timeout': '86400', 'log-cache': '64Mi' };
  expect(configOf(given)).toMatchObject({ port: 65_535, gatewayWorkers: 64, idleTimeoutSeconds: 86_400 });
  expect(configOf({ 'host-ports': '1, 65535' }).hostPorts).toEqual([1, 65_535]);
});

// Fails when the value of an assignment is cut at its second "=".
test('assignments keep everything behind the first equals sign', () => {
  expect(configOf({ 'build-args': ' TOKEN = a=b== , OTHER=1,' }).buildArgs).toEqual({ TOKEN: 'a=b==', OTHER: '1' });
  expect(configOf({}).buildArgs).toEqual({});
});

test('on and off have two spellings each', () => {
  for (const [text, value] of [
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ] as const) {
    expect([text, configOf({}, { BERTH_SIGN_UP: text }).signUp]).toEqual([text, value]);
  }
  // Fails when an empty variable counts as given: it would be refused as a value of a switch.
  expect(configOf({}, { BERTH_SIGN_UP: '', BERTH_EXAMPLE: '' })).toMatchObject({ signUp: false, example: true });
});

// Fails when a fault is attributed to the flag though the value came from the environment, or the other way round.
test('a fault names where its value came from', () => {
  expect(faultsOf({}, { BERTH_PORT: 'x' })[0]).toMatch(/^BERTH_PORT: /);
  expect(faultsOf({ port: 'x' }, { BERTH_PORT: '80' })[0]).toMatch(/^--port: /);
  // A good flag hides a faulty variable.
  expect(faultsOf({ port: '80' }, { BERTH_PORT: 'x' })).toEqual([]);
});

// Fails when the value is part of a fault: the message of a start goes to a log that others may read.
test('a fault of a secret does not repeat it', () => {
  const secret = 'hunter2-short';
  for (const given of [faultsOf({ 'bootstrap-key': secret }), faultsOf({}, { BERTH_BOOTSTRAP_KEY: secret })]) {
    expect(given).toHaveLength(1);
    expect(given.join()).not.toContain(secret);
  }
});

// Fails when a secret setting loses its mark.
test('no secret is printed, whichever way it is given', () => {
  const secrets = ['acme-eab-hmac-key', 's3-secret-access-key', 'bootstrap-key', 'stripe-key', 'stripe-webhook-secret'];
  const canary = `canary-${'x'.repeat(40)}`;
  for (const flag of secrets) {
    const env = `BERTH_${flag.toUpperCase().replaceAll('-', '_')}`;
    for (const reading of [readingOf({ [flag]: canary }), readingOf({}, { [env]: canary })]) {
      if ('faults' in reading) throw new Error(reading.faults.join());
      const text = describeConfig(reading);
      expect(text).not.toContain(canary);
      expect(text).toContain(`${env}=(set, hidden)`);
    }
  }
});

test('settings that are not given are shown with their default, and secrets as nothing', () => {
  const reading = readingOf({});
  if ('faults' in reading) throw new Error(reading.faults.join());
  const lines = describeConfig(reading).split('\n');
  expect(lines).toHaveLength(Object.keys(OPTIONS).length);
  expect(lines).toContain('BERTH_STRIPE_KEY=null  # default');
  expect(lines).toContain('BERTH_RESERVED_NAMES=[]  # default');
});

// Fails when servers without a common place for objects may use one database, or SQLite is taken for shared.
test('servers share a database only with a common place for their objects', () => {
  const url = { BERTH_DATABASE_URL: 'postgres://localhost/berth' };
  expect(configOf({}, url).isShared).toBe(false);
  expect(configOf({ 's3-bucket': 'berth' }).isShared).toBe(false);
  expect(configOf({ 's3-bucket': 'berth' }, url).isShared).toBe(true);
  expect(configOf({ 'shared-folder': 'mnt' }, url)).toMatchObject({ isShared: true, sharedFolder: '/work/mnt' });
  expect(faultsOf({ 'shared-folder': '/mnt' })).toEqual([expect.stringContaining('set BERTH_DATABASE_URL')]);
  expect(faultsOf({ 'shared-folder': '/mnt', 's3-bucket': 'b' }, url)).toEqual([
    expect.stringContaining('exclude each other'),
  ]);
});

// Fails when the settings can be changed after they were read: parts would see different values.
test('the settings are frozen, and the data folder is absolute', () => {
  const config = configOf({ data: 'here/data' });
  expect(config.dataFolder).toBe('/work/here/data');
  expect(configOf({ data: '/srv/berth/' }).dataFolder).toBe('/srv/berth');
  expect(Object.isFrozen(config)).toBe(true);
});

test('two settings share no flag and no variable', () => {
  const options = Object.values(OPTIONS);
  expect(new Set(options.map(({ flag }) => flag)).size).toBe(options.length);
  expect(new Set(options.map(({ env }) => env)).size).toBe(options.length);
});

// Fails when a switch takes the next flag for its value, or leaves its own value to be read as a word.
test('the last of several values counts, and a switch takes only what can be its value', () => {
  const flagsOf = (...words: string[]) => (readArguments(words) as { readonly flags: object }).flags;
  expect(flagsOf('--port', '1', '--port=2')).toEqual({ port: '2' });
  expect(flagsOf('--sign-up', '--require-isolation', '1')).toEqual({ 'sign-up': 'true', 'require-isolation': '1' });
  expect(readArguments(['--sign-up', 'maybe'])).toEqual({ fault: '"maybe" is not an option; see --help' });
  expect(flagsOf('--build-args=A=--b')).toEqual({ 'build-args': 'A=--b' });
  expect(flagsOf('--no-example', '--example')).toEqual({ example: 'true' });
});

test('help and the print of the settings can stand anywhere', () => {
  expect(readArguments(['--port', '1', '-h'])).toMatchObject({ wantsHelp: true, wantsConfig: false });
  expect(readArguments(['--print-config', '--port', '1'])).toMatchObject({ wantsConfig: true, flags: { port: '1' } });
  // The text behind a flag is its value.
  expect(readArguments(['--domain', '-h'])).toMatchObject({ wantsHelp: false, flags: { domain: '-h' } });
});

const DNS_KEY = 'hmac-sha256:berth:YSBrZXkgb2YgdGhpcnR5LXR3byBieXRlcywgc28gdG8=';
const WILDCARD = { domain: 'apps.example.com', 'acme-directory': 'https://acme.example/directory' };

// Fails when a wildcard certificate is configured by halves: the server would start, and order nothing.
test('the settings of a wildcard certificate belong together', () => {
  const server = { 'acme-dns-server': 'ns1.example.com' };
  const command = { 'acme-dns-command': '["/etc/berth/dns-hook"]' };
  expect(faultsOf({ ...WILDCARD, ...server }, { BERTH_ACME_DNS_KEY: DNS_KEY })).toEqual([]);
  expect(faultsOf({ ...WILDCARD, ...command })).toEqual([]);
  expect(faultsOf({ ...WILDCARD, ...server })).toEqual([expect.stringContaining('belong together')]);
  expect(faultsOf({ ...WILDCARD, ...server, ...command }, { BERTH_ACME_DNS_KEY: DNS_KEY })).toEqual([
    expect.stringContaining('exclude each other'),
  ]);
  expect(faultsOf(command)).toEqual([
    expect.stringContaining('BERTH_ACME_DIRECTORY'),
    expect.stringContaining('BERTH_DOMAIN'),
  ]);
});

// Fails when the key would be visible in the list of processes, or when the command could be handed the server's secrets.
test('the key of the DNS is a variable, and the command gets no variable of Berth', () => {
  expect(faultsOf({ 'acme-dns-key': DNS_KEY })[0]).toContain('visible to other users');
  const [fault] = faultsOf({}, { BERTH_ACME_DNS_KEY: 'hmac-md5:berth:c2VjcmV0' });
  expect(fault).toBe('BERTH_ACME_DNS_KEY: must be hmac-sha256:NAME:SECRET, with the secret in base64');
  expect(faultsOf({ 'acme-dns-command-env': 'PATH,BERTH_MASTER_KEY' })[0]).toContain('must not name BERTH_ variables');
  expect(faultsOf({ 'acme-dns-command': '/etc/berth/dns-hook --now' })[0]).toContain('must be a JSON array');
});
