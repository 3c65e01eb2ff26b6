import { describe, expect, it } from 'vitest';
import type { Option } from './option.ts';
import { OPTIONS } from './options.ts';
import { helpText, readArguments } from './read-arguments.ts';
import { describeConfig, readConfig } from './read-config.ts';

const read = (flags: Record<string, string> = {}, environment: Record<string, string> = {}) => {
  const reading = readConfig({ flags, environment, workingFolder: '/work' });
  if ('faults' in reading) throw new Error(reading.faults.join('\n'));
  return reading;
};
const faultsOf = (flags: Record<string, string>, environment: Record<string, string> = {}) => {
  const reading = readConfig({ flags, environment, workingFolder: '/work' });
  return 'faults' in reading ? reading.faults : [];
};

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(read().config).toMatchObject({ port: 8787, host: 'localhost', dataFolder: '/work/.berth', example: true });
  });

  it('lets a flag win over the environment and says where a value came from', () => {
    const reading = read({ port: '9000' }, { BERTH_PORT: '9001', BERTH_DOMAIN: 'example.com' });
    expect(reading.config).toMatchObject({ port: 9000, domain: 'example.com' });
    expect(reading.sources).toMatchObject({ port: 'flag', domain: 'environment', host: 'default' });
  });

  it('treats an empty variable as not given and leaves the CLI its own', () => {
    expect(read({}, { BERTH_PORT: '', BERTH_URL: 'http://x', BERTH_API_KEY: 'k' }).config.port).toBe(8787);
  });

  it('names every fault at once', () => {
    const faults = faultsOf({ port: '70000', colour: 'red' }, { BERTH_BOOTSTRAP_KEY: 'short', BERTH_TYPO: '1' });
    expect(faults).toHaveLength(4);
    expect(faults.join('\n')).toMatch(
      /--colour[\s\S]*BERTH_TYPO[\s\S]*--port[\s\S]*BERTH_BOOTSTRAP_KEY: must have at least 32/,
    );
  });

  it('reads lists', () => {
    expect(read({}, { BERTH_RESERVED_NAMES: 'status, docs ,' }).config.reservedNames).toEqual(['status', 'docs']);
  });

  it('reads the networks that services must not reach, and names the one that is none', () => {
    expect(read().config.blockedRanges).toEqual([]);
    const given = { BERTH_BLOCKED_RANGES: '10.0.0.0/8, fd00::/8' };
    expect(read({}, given).config.blockedRanges).toEqual(['10.0.0.0/8', 'fd00::/8']);
    for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'intranet'])
      expect(faultsOf({ 'blocked-ranges': wrong }).join()).toContain(`--blocked-ranges: "${wrong}" is not a network`);
  });

  it('never prints a secret', () => {
    const secret = 's'.repeat(40);
    const text = describeConfig(read({}, { BERTH_BOOTSTRAP_KEY: secret }));
    expect(text).not.toContain(secret);
    expect(text).toContain('BERTH_PORT=8787  # default');
  });

  it('takes the master key from one place, and never from a flag', () => {
    const key = 'a1'.repeat(32);
    const command = '["kms", "decrypt", "a b"]';
    expect(describeConfig(read({}, { BERTH_MASTER_KEY: key }))).not.toContain(key);
    expect(read({}, { BERTH_MASTER_KEY_COMMAND: command }).config.masterKeyCommand).toEqual(['kms', 'decrypt', 'a b']);
    const [refused = ''] = faultsOf({ 'master-key': key });
    expect(refused).toContain('set BERTH_MASTER_KEY instead');
    expect(refused).not.toContain(key);
    for (const wrong of ['kms decrypt', '[]', '[1]', '{}']) {
      expect(faultsOf({}, { BERTH_MASTER_KEY_COMMAND: wrong }).join()).toContain('must be a JSON array');
    }
    const both = {
      BERTH_MASTER_KEY: key,
      BERTH_MASTER_KEY_FILE: '/run/secrets/berth',
      BERTH_MASTER_KEY_COMMAND: command,
    };
    expect(faultsOf({}, both)).toEqual([
      'BERTH_MASTER_KEY and BERTH_MASTER_KEY_FILE and BERTH_MASTER_KEY_COMMAND are set: there is one master key, so set one of them',
    ]);
  });
});

describe('readArguments', () => {
  it('reads both forms of a flag', () => {
    expect(readArguments(['--port', '1', '--data=/x', '--no-example'])).toEqual({
      flags: { port: '1', data: '/x', example: 'false' },
      wantsHelp: false,
      wantsConfig: false,
    });
  });

  it('reads a switch with and without a value', () => {
    const flagsOf = (...words: string[]) => (readArguments(words) as { readonly flags: object }).flags;
    expect(flagsOf('--sign-up', '--port', '1')).toEqual({ 'sign-up': 'true', port: '1' });
    expect(flagsOf('--require-isolation')).toEqual({ 'require-isolation': 'true' });
    expect(flagsOf('--sign-up', 'false', '--example=0')).toEqual({ 'sign-up': 'false', example: '0' });
  });

  it('says what it cannot read', () => {
    expect(readArguments(['deploy'])).toHaveProperty('fault');
    expect(readArguments(['--port'])).toHaveProperty('fault');
    expect(readArguments(['--port', '--data'])).toHaveProperty('fault');
  });
});

it('shows every option in the help, with its default', () => {
  const text = helpText();
  expect(text).toMatch(/--port +BERTH_PORT +Port of the API.* \[default: 8787\]\n/);
  expect(text).toMatch(/--schedules +BERTH_SCHEDULES .* \[default: true\]\n/);
  expect(text).toMatch(/--s3-bucket +BERTH_S3_BUCKET +S3 bucket for volumes, instead of the local disk\n/);
  for (const { flag, isVariableOnly } of Object.values<Option>(OPTIONS)) {
    expect(text.includes(`--${flag} `)).toBe(isVariableOnly !== true);
  }
});
