import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { probeSandbox } from '@berth/agent-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import type { ModelRequest } from '../models/model.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { commandTool } from '../tools/command/command-tool.ts';
import { parseSkill } from './parse-skill.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'skills-'));
  addSkill('refunds', 'How to refund an order.', 'Ask for the order number first.');
});
afterEach(() => rmSync(folder, { recursive: true }));

function skillText(name: string, description: string, body = 'Do it well.'): string {
  return `---\nname: ${name}\ndescription: ${description}\nlicense: MIT\nnew-field: [1]\n---\n\n${body}\n`;
}

function addSkill(name: string, description: string, body?: string): void {
  mkdirSync(path.join(folder, name, 'references'), { recursive: true });
  writeFileSync(path.join(folder, name, 'SKILL.md'), skillText(name, description, body));
}

/** A model that makes one call in each turn, with these arguments. */
function caller() {
  const next: { args: object } = { args: {} };
  const step = ({ messages }: ModelRequest) =>
    messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ tool: 'load_skill', args: next.args }] };
  return { steps: [step], next };
}

describe('skills of an agent', () => {
  // Fails when the body or the files of a skill are put into the prompt, or a call returns something else than the skill's text.
  test('are named in the prompt, and loaded when the model asks', async () => {
    // Holds the agent to the contract: verifies('skill.load', 'skill.list')
    writeFileSync(path.join(folder, 'refunds', 'references', 'limits.md'), 'At most $50.');
    const { steps, next } = caller();
    await using fixture = await openLoopAgent(steps, { system: 'You help.', skills: folder });
    const load = async (args: object) => {
      next.args = args;
      await fixture.say('Go');
      return fixture.asked.at(-1)?.messages.at(-1);
    };
    expect(await load({ name: 'refunds' })).toMatchObject({
      isError: false,
      text: 'Ask for the order number first.\n\nFiles of this skill:\nreferences/limits.md',
    });
    const { system = '', tools } = fixture.asked[0]!;
    expect(system.startsWith('You help.\n\n')).toBe(true);
    expect(system).toContain('- refunds: How to refund an order.');
    expect(system).not.toMatch(/order number|limits\.md/);
    expect(tools.map(({ name }) => name)).toEqual(['load_skill']);
    expect(await load({ name: 'refunds', file: 'references/limits.md' })).toMatchObject({ text: 'At most $50.' });
    expect(await load({ name: 'returns' })).toMatchObject({
      isError: true,
      text: 'There is no skill returns. The skills are: refunds.',
    });
    expect(await (await fixture.call('alice', 'GET', '/skills')).json()).toEqual([
      { name: 'refunds', description: 'How to refund an order.', source: 'agent' },
    ]);
    expect(await (await fixture.call('alice', 'GET', '/tools/offered')).json()).toMatchObject([{ name: 'load_skill' }]);
  });

  // Fails when names that the model writes are joined to a path, or links are followed: it could read the agent's secrets.
  test('are the only files that a model reads', async () => {
    writeFileSync(path.join(folder, 'secret.txt'), 'secret');
    writeFileSync(path.join(folder, 'refunds', '.env'), 'secret');
    symlinkSync('/etc/passwd', path.join(folder, 'refunds', 'passwd'));
    const { steps, next } = caller();
    await using fixture = await openLoopAgent(steps, { skills: folder });
    for (const args of [
      { name: 'refunds', file: '../secret.txt' },
      { name: 'refunds', file: '/etc/passwd' },
      { name: 'refunds', file: 'passwd' },
      { name: 'refunds', file: '.env' },
      { name: '..', file: 'secret.txt' },
    ]) {
      next.args = args;
      await fixture.say('Go');
      expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({ isError: true });
    }
  });

  // Fails when long files are cut without a way to read on.
  test('have long files, which are read in pages', async () => {
    // Holds the agent to the contract: verifies('skill.load')
    writeFileSync(path.join(folder, 'refunds', 'long.md'), `${'a'.repeat(30_000)}end`);
    const { steps, next } = caller();
    await using fixture = await openLoopAgent(steps, { skills: folder });
    next.args = { name: 'refunds', file: 'long.md' };
    await fixture.say('Go');
    const first = fixture.asked.at(-1)?.messages.at(-1);
    expect(first?.role === 'tool' && first.text.endsWith('\n[3 characters follow: continue with offset 30000]')).toBe(
      true,
    );
    next.args = { name: 'refunds', file: 'long.md', offset: 30_000 };
    await fixture.say('Go');
    expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({ text: 'end' });
  });

  // Fails when the prompt names skills to a person who has switched the tool off: the model would call what is not there.
  test('are not named where the tool is switched off', async () => {
    await using fixture = await openLoopAgent(['Hello.'], { system: 'You help.', skills: folder });
    await fixture.call('alice', 'PUT', '/tools/load_skill', { mode: 'never' });
    await fixture.say('Go');
    expect(fixture.asked[0]).toMatchObject({ system: 'You help.', tools: [] });
  });

  // Fails when a skill that can't be used is left out in silence: no one would notice that the agent has lost it.
  test('stop the agent at its start when they cannot be used', async () => {
    addSkill('other', 'x');
    writeFileSync(path.join(folder, 'other', 'SKILL.md'), skillText('another', 'x'));
    await expect(openLoopAgent(['x'], { skills: folder })).rejects.toThrow(/other\/SKILL\.md has the name "another"/);
    await expect(openLoopAgent(['x'], { skills: '/nowhere' })).rejects.toThrow(/\/nowhere does not exist/);
    await expect(openLoopAgent(['x'], { skills: {} })).rejects.toThrow(/skills: '\.\/skills'/);
    await expect(openTestAgent({ skills: folder })).rejects.toThrow(/loop\(\{ model, skills \}\)/);
  });
});

// Fails when a skill's programs are not in the sandbox, or a command can change them for everyone.
test.skipIf('problem' in (await probeSandbox()))('the programs of a skill run as commands', async () => {
  writeFileSync(path.join(folder, 'refunds', 'sum.sh'), 'echo $((1 + 2)); touch /skills/refunds/new');
  const steps = [
    { calls: [{ tool: 'load_skill', args: { name: 'refunds' } }] },
    { calls: [{ tool: 'run_command', args: { command: 'sh /skills/refunds/sum.sh' } }] },
    'Done.',
  ];
  await using fixture = await openLoopAgent(steps, { skills: folder, tools: [commandTool()] });
  await fixture.call('alice', 'PUT', '/tools/run_command', { mode: 'allow' });
  await fixture.say('Go');
  expect(fixture.asked[1]?.messages.at(-1)).toMatchObject({
    text: expect.stringContaining('Files of this skill (for run_command in /skills/refunds):\nsum.sh'),
  });
  expect(fixture.asked[2]?.messages.at(-1)).toMatchObject({ text: expect.stringMatching(/\n3\n.*Read-only/s) });
});

describe('skills of people', () => {
  // Fails when they are read from another workspace, replace the agent's, or are used without `fromWorkspace`.
  test("are those of their workspace, below the agent's", async () => {
    // Holds the agent to the contract: verifies('skill.list', 'skill.workspace', 'skill.problem')
    const { steps, next } = caller();
    next.args = { name: 'letters' };
    await using fixture = await openLoopAgent(steps, { skills: { folder, fromWorkspace: true } });
    const put = (name: string, text: string, token = 'alice') =>
      fixture.call(token, 'PUT', `/files/skills/${name}`, text);
    await put('letters/SKILL.md', skillText('letters', 'How to write letters.', 'Begin with the date.'));
    await put('letters/style.md', 'Be brief.');
    await put('refunds/SKILL.md', skillText('refunds', 'Refund everything.'));
    await put('broken/SKILL.md', 'no front matter');
    await put('letters/SKILL.md', skillText('letters', "Bob's letters.", "Begin with Bob's name."), 'bob');
    await fixture.say('Go');
    expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({
      text: 'Begin with the date.\n\nFiles of this skill:\nstyle.md',
    });
    const { system } = fixture.asked[0]!;
    expect(system).toContain(
      '- refunds: How to refund an order.\n- letters (made by people of this workspace): How to write letters.',
    );
    expect(system).not.toMatch(/everything|broken|Bob/);
    expect(await (await fixture.call('alice', 'GET', '/skills')).json()).toEqual([
      { name: 'refunds', description: 'How to refund an order.', source: 'agent' },
      { name: 'broken', description: '', source: 'workspace', problem: expect.stringContaining('has no front matter') },
      { name: 'letters', description: 'How to write letters.', source: 'workspace' },
      {
        name: 'refunds',
        description: 'Refund everything.',
        source: 'workspace',
        problem: expect.stringContaining('Rename yours'),
      },
    ]);
    next.args = { name: 'refunds' };
    await fixture.say('Go');
    expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({ text: 'Ask for the order number first.' });
  });

  // Fails when an agent without skills has no route for them: a page that asks would show an error.
  test('are none for an agent without them', async () => {
    // Holds the agent to the contract: verifies('skill.list')
    await using fixture = await openTestAgent();
    const answer = await fixture.call('alice', 'GET', '/skills');
    expect([answer.status, await answer.json()]).toEqual([200, []]);
  });

  // Fails when the limit of SKILL.md is missing or off by one: a model would get the instructions in part.
  test('have a SKILL.md of at most 32,768 bytes', async () => {
    // Holds the agent to the contract: verifies('skill.format', 'skill.problem')
    await using fixture = await openLoopAgent(['Hello.'], { skills: { fromWorkspace: true } });
    for (const [name, sizeBytes] of [
      ['full', 32_768],
      ['large', 32_769],
    ] as const) {
      const text = skillText(name, 'Long.', '').trimEnd();
      await fixture.call('alice', 'PUT', `/files/skills/${name}/SKILL.md`, text.padEnd(sizeBytes, '\n'));
    }
    expect(await (await fixture.call('alice', 'GET', '/skills')).json()).toEqual([
      { name: 'full', description: 'Long.', source: 'workspace' },
      { name: 'large', description: '', source: 'workspace', problem: expect.stringContaining('32768 bytes') },
    ]);
    await fixture.say('Go');
    expect(fixture.asked[0]?.system).toContain('- full (made by people of this workspace): Long.');
    expect(fixture.asked[0]?.system).not.toContain('large');
  });

  // Fails when the tool is offered to someone who has no skills, or the option is on by default.
  test('are not looked for where the agent does not allow them', async () => {
    // Holds the agent to the contract: verifies('skill.workspace')
    await using without = await openLoopAgent(['Hello.'], { skills: folder });
    await without.call('alice', 'PUT', '/files/skills/letters/SKILL.md', skillText('letters', 'x'));
    await without.say('Go');
    expect(without.asked[0]?.system).not.toContain('letters');
    await using empty = await openLoopAgent(['Hello.'], { skills: { fromWorkspace: true } });
    await empty.say('Go');
    expect(await (await empty.call('alice', 'GET', '/skills')).json()).toEqual([]);
    expect(empty.asked[0]).toMatchObject({ tools: [] });
    expect(empty.asked[0]).not.toHaveProperty('system');
  });
});

describe('SKILL.md', () => {
  // Fails when a bound of the format is off, or a broken file passes.
  test.each([
    ['', 'has no front matter'],
    ['text\n---\nname: a\ndescription: b\n---\n', 'has no front matter'],
    ['---\nname: a\ndescription: b\n', 'has no front matter'],
    ['---\nname: [a\n---\n', 'not valid YAML'],
    ['---\nname: &a a\ndescription: *a\n---\n', 'not valid YAML'],
    ['---\nname: a\n---\n', 'description'],
    ['---\nname: a\ndescription: "  "\n---\n', 'description'],
    [`---\nname: a\ndescription: ${'x'.repeat(1_025)}\n---\n`, 'description'],
    ['---\nname: A\ndescription: b\n---\n', 'name'],
    ['---\nname: a--b\ndescription: b\n---\n', 'name'],
    ['---\nname: b\ndescription: b\n---\n', 'must match its folder'],
  ])('%j is refused', async (text, problem) => {
    // Holds the agent to the contract: verifies('skill.format')
    expect(await parseSkill(text, 'a')).toEqual({ problem: expect.stringContaining(problem) });
  });

  // Fails when line ends of Windows, a byte order mark or text over several lines are not understood.
  test('is read as its format says', async () => {
    const text = '\uFEFF---\r\nname: a\r\ndescription: >\r\n  First\r\n  second\r\n---\r\nBody\r\n---\r\nrest\r\n';
    expect(await parseSkill(text, 'a')).toEqual({
      name: 'a',
      description: 'First second',
      body: 'Body\r\n---\r\nrest',
    });
    expect(await parseSkill(`---\nname: a\ndescription: ${'x'.repeat(1_024)}\n---`, 'a')).toMatchObject({ body: '' });
  });
});
