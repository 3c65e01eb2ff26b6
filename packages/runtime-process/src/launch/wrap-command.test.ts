import { describe, expect, test } from 'vitest';
import { wrapProgram, wrapSandbox } from './wrap-command.ts';

const TOOLS = {
  setpriv: '/bin/setpriv',
  prlimit: '/bin/prlimit',
  nice: '/bin/nice',
  ionice: '/bin/ionice',
  env: '/bin/env',
};
const OPTIONS = {
  tools: TOOLS,
  identity: { uid: 7, gid: 8, accountGid: 9 },
  isLowPriority: false,
  userProcesses: undefined,
  enterNetwork: [],
  unsafe: {},
};
const ARGV = ['/bin/app', '--flag', 'a b'];

/** The programs, in the order they replace each other. */
function chain(argv: readonly string[]): string[] {
  return argv.filter((element) => element.startsWith('/bin/'));
}

describe('wrapProgram', () => {
  test('takes the user and all privileges before the program, and ends with it as it was', () => {
    const argv = wrapProgram(ARGV, OPTIONS);
    expect(chain(argv)).toEqual(['/bin/prlimit', '/bin/setpriv', '/bin/app']);
    expect(argv.slice(-3)).toEqual(ARGV);
    for (const option of [
      '--reuid=7',
      '--regid=8',
      '--groups=9',
      '--bounding-set=-all',
      '--no-new-privs',
      '--pdeathsig',
    ]) {
      expect(argv).toContain(option);
    }
  });

  test('variables that the linker heeds are set after that, never before', () => {
    const argv = wrapProgram(ARGV, { ...OPTIONS, unsafe: { LD_PRELOAD: '/evil.so' } });
    expect(argv.indexOf('LD_PRELOAD=/evil.so')).toBeGreaterThan(argv.indexOf('/bin/setpriv'));
    expect(argv.slice(-5)).toEqual(['/bin/env', 'LD_PRELOAD=/evil.so', ...ARGV]);
  });

  test('a build gives way', () => {
    expect(chain(wrapProgram(ARGV, { ...OPTIONS, isLowPriority: true }))).toEqual([
      ...['/bin/prlimit', '/bin/ionice', '/bin/nice', '/bin/setpriv', '/bin/app'],
    ]);
  });

  test('one user gains no privilege and is tied to its parent', () => {
    const argv = wrapProgram(ARGV, { ...OPTIONS, identity: undefined });
    expect(argv.join(' ')).toContain('/bin/setpriv --no-new-privs --pdeathsig KILL /bin/app');
  });

  test('processes are limited where nothing else does', () => {
    expect(wrapProgram(ARGV, { ...OPTIONS, userProcesses: 50 })).toContain('--nproc=50:50');
  });

  test('the network is entered while there are privileges', () => {
    const argv = wrapProgram(ARGV, { ...OPTIONS, enterNetwork: ['/bin/nsenter', '--net=/run/netns/x'] });
    expect(chain(argv)).toEqual(['/bin/prlimit', '/bin/nsenter', '/bin/setpriv', '/bin/app']);
  });

  test('a machine with none of these programs runs it as it is', () => {
    expect(wrapProgram(ARGV, { ...OPTIONS, tools: {}, unsafe: { LD_PRELOAD: 'x' } })).toEqual(ARGV);
  });
});

describe('wrapSandbox', () => {
  test('all that runs before bubblewrap is outside; what needs the tenant’s user is left to bubblewrap', () => {
    const argv = wrapSandbox(['/bin/bwrap'], { ...OPTIONS, isLowPriority: true });
    expect(chain(argv)).toEqual(['/bin/prlimit', '/bin/ionice', '/bin/nice', '/bin/setpriv', '/bin/bwrap']);
    expect(argv.join(' ')).toContain('/bin/setpriv --groups=9 /bin/bwrap');
  });

  test('one user needs no setpriv', () => {
    expect(chain(wrapSandbox(['/bin/bwrap'], { ...OPTIONS, identity: undefined }))).toEqual([
      '/bin/prlimit',
      '/bin/bwrap',
    ]);
  });
});
