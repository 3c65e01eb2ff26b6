import { offerTools } from '@berth/agent/testing';
import type { ToolContext, TurnMessage } from '@berth/agent-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConnectorTool } from './connector-tools.ts';
import { deferTools, FIND_TOOLS } from './defer-tools.ts';
import { describeJson } from './format-result.ts';
import { rankTools } from './rank-tools.ts';
import { toolName } from './tool-name.ts';

test('names for models are valid and unique', () => {
  expect(toolName('github', 'create_issue')).toBe('github__create_issue');
  expect(toolName('a', 'b__c')).toBe('a__b__c');
  const connector = fc.constantFrom('a', 'b-', 'github', 'x'.repeat(32));
  const tool = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80 }),
    fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom(...'aB0_-') }),
    fc.tuple(connector, fc.string({ minLength: 1 })).map(([one, other]) => toolName(one, other).split('__')[1] ?? 'x'),
  );
  const pair = fc.tuple(connector, tool);
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      expect(toolName(...one)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(toolName(...one).startsWith(`${one[0]}__`)).toBe(true);
      if (one.join('/') !== other.join('/')) expect(toolName(...one)).not.toBe(toolName(...other));
    }),
  );
  const alike = ['send', 'Send', 'ѕend', 'send ', 'send\u200b', 'send_'].map((name) => toolName('mail', name));
  expect(new Set(alike).size).toBe(alike.length);
});

test('tools are found by name and description', () => {
  const tool = (name: string, connector: string, description = '') => ({ name, title: name, connector, description });
  const tools = [
    tool('createIssue', 'GitHub', 'Opens a new bug report'),
    tool('list_issues', 'GitHub'),
    tool('create_page', 'Wiki', 'Writes an article'),
    tool('send', 'Mail', 'Sends a message. Also makes issues known'),
  ];
  const found = (query: string) => rankTools(tools, query, 3).map(({ name }) => name);
  expect(found('create an issue')[0]).toBe('createIssue');
  expect(found('article')).toEqual(['create_page']);
  expect(found('Mail')).toEqual(['send']);
  expect(found('issue')).toEqual(['createIssue', 'list_issues', 'send']);
  expect([found(''), found('zebra')]).toEqual([[], []]);
});

function shelfOf(count: number, { messages = [] as TurnMessage[], mentioned = [] as string[] } = {}) {
  const tools = Array.from({ length: count }, (_, index): ConnectorTool => {
    const connector = index % 2 === 0 ? 'even' : 'odd';
    const name = `${connector}__tool-${index}`;
    return {
      name,
      connector,
      ownName: `tool-${index}`,
      settingKey: `${connector}/tool-${index}`,
      title: `Tool ${index}`,
      connectorTitle: connector,
      description: `Does thing ${index}`,
      risk: 'read',
      inputSchema: { type: 'object' },
      definitionHash: 'x',
      timeoutMs: 1_000,
      label: () => '',
      check: () => undefined,
      run: () => undefined,
    };
  });
  return offerTools({
    tools,
    user: undefined,
    disabled: [],
    choices: { modes: {}, definitions: {} },
    auto: true,
    onUnavailable: () => {},
  }).then((offered) => deferTools({ offered, mentioned, messages }));
}

test('a few tools are sent at once; many are searched, stay found, and are sent when their connector is mentioned', async () => {
  expect((await shelfOf(12)).list).toHaveLength(12);
  const shelf = await shelfOf(13);
  expect(shelf.list.map(({ name }) => name)).toEqual([FIND_TOOLS]);
  expect(shelf.list[0]?.description).toContain('Connected: even (7), odd (6).');
  const search = shelf.find(FIND_TOOLS)?.tool;
  const result = String(search?.run({ query: 'thing 11' }, {} as ToolContext));
  expect(result.split('\n')[0]).toBe('- odd__tool-11: Tool 11. Does thing 11');
  expect(shelf.list.map(({ name }) => name)).toContain('odd__tool-11');
  // What was not found can be called all the same: its mode decides.
  expect(shelf.find('even__tool-0')?.decision).toBe('run');
  expect(shelf.names).not.toContain('even__tool-12');

  const step = (tool_name: string, text = '') => ({
    type: 'step' as const,
    id: 's',
    ok: true,
    tool_name,
    result: text,
  });
  const messages: TurnMessage[] = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: '',
      parts: [step(FIND_TOOLS, '- odd__tool-3: …\n- gone__tool: …'), step('even__tool-2')],
    },
  ];
  const later = await shelfOf(13, { messages });
  expect(later.list.map(({ name }) => name)).toEqual(['even__tool-2', 'odd__tool-3', FIND_TOOLS]);
  expect((await shelfOf(13, { mentioned: ['odd'] })).list).toHaveLength(7);
});

test('20 connectors of 30 tools cost a request fewer than 400 tokens', async () => {
  const { list } = await shelfOf(600);
  // Four characters are a token, about.
  expect(JSON.stringify(list).length / 4).toBeLessThan(400);
});

test('a long JSON is described by its shape', () => {
  expect(describeJson('[1,2]')?.shape).toBe('a list of 2, the first a number');
  expect(describeJson('{"a":[],"b":{"c":{"d":{}}}}')?.shape).toBe(
    'an object with "a" (an empty list), "b" (an object with "c" (an object with "d"))',
  );
  expect(describeJson('{"a":')).toBeUndefined();
});
