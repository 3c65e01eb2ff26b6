import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEMPLATES } from '../../init/templates.ts';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();
const filesOf = (folder: string) =>
  readdirSync(path.join(berth.home.path, folder), { recursive: true, encoding: 'utf8' }).sort();
const read = (file: string) => readFileSync(path.join(berth.home.path, file), 'utf8');

describe('init', () => {
  // Fails when the project gets a copy of the library, or installs it from the public registry, where anyone may have the name.
  test('writes an agent that installs its library from the platform', async () => {
    expect(await berth.run(['init', 'agent', 'bot'])).toMatchObject({ code: 0 });
    expect(filesOf('bot')).not.toContain('vendor');
    expect(JSON.parse(read('bot/package.json')).dependencies).toEqual({ '@berth/agent': '^0.1.0' });
    expect(read('bot/.npmrc')).toBe(`@berth:registry=${berth.server.url}/npm/\n`);
    await berth.runAlone(['init', 'agent', 'alone']);
    expect(read('alone/.npmrc')).toBe('@berth:registry=http://localhost:8787/npm/\n');
    expect(await berth.runAlone(['init', 'agent-with-tools', 'alone'])).toMatchObject({ code: 2 });
  });

  test('writes an agent that is named after its folder, with the library beside it', async () => {
    const { code, stdout, stderr } = await berth.runAlone(['init', 'agent', 'Café Bot', '--vendor']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path.join(berth.home.path, 'Café Bot')}\n` });
    expect(stderr).toContain('berth deploy "Café Bot"\n');
    const library = 'vendor/berth-agent-0.1.0.tgz';
    expect(filesOf('Café Bot')).toEqual(
      [
        ...['.berth', '.berth/berth.schema.json', '.gitignore', 'agent.ts', 'berth.json'],
        ...['package.json', 'tsconfig.json', 'vendor', library],
      ].sort(),
    );
    const manifest = JSON.parse(read('Café Bot/package.json'));
    expect(manifest).toMatchObject({ name: 'cafe-bot', dependencies: { '@berth/agent': `file:${library}` } });
    // Fails when `settingsFile` leaves out the volume: the agent would lose its data.
    expect(JSON.parse(read('Café Bot/berth.json'))).toEqual({
      $schema: './.berth/berth.schema.json',
      name: 'cafe-bot',
      volumes: { '/data': 'cafe-bot' },
    });
    expect(read('Café Bot/agent.ts')).toContain("name: 'cafe-bot'");
  });

  test.each(TEMPLATES)('$name leaves no placeholder', async ({ name, isAgent }) => {
    const { code, stdout } = await berth.runAlone(['init', name, 'thing', '--name', 'Other', '--json']);
    expect(code).toBe(0);
    const { files, name: made } = JSON.parse(stdout) as { files: string[]; name: string };
    expect(made).toBe('other');
    expect(filesOf('thing')).toEqual(expect.arrayContaining(files));
    for (const file of files.filter((one) => !one.endsWith('.tgz'))) expect(read(`thing/${file}`)).not.toContain('{{');
    expect(files.includes('.npmrc')).toBe(isAgent);
  });

  test('writes over nothing', async () => {
    await berth.home.write({ 'server.js': 'mine', 'notes.txt': 'mine too' });
    const refused = await berth.runAlone(['init', 'service']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('server.js');
    expect(filesOf('.')).not.toContain('package.json');
    expect(read('server.js')).toBe('mine');
    expect(await berth.runAlone(['init', 'static'])).toMatchObject({ code: 0 });
    expect(read('notes.txt')).toBe('mine too');
    expect(await berth.runAlone(['init', 'agent', 'notes.txt'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('gives a project that is there a berth.json, and its schema to the editor', async () => {
    await berth.home.write({ 'server.js': 'mine' });
    expect(await berth.runAlone(['init', 'settings', '.', '--name', 'shop'])).toMatchObject({ code: 0 });
    expect(filesOf('.')).toEqual(expect.arrayContaining(['.berth/berth.schema.json', 'berth.json', 'server.js']));
    const { $schema, ...file } = JSON.parse(read('berth.json'));
    expect(file).toEqual({ name: 'shop' });
    const schema = JSON.parse(read($schema));
    expect(schema.properties.memory).toMatchObject({ type: 'string', description: expect.stringContaining('128Mi') });
    expect((await berth.runAlone(['init', 'settings'])).stderr).toContain('berth.json');
  });

  test('says which templates there are', async () => {
    const { code, stderr } = await berth.runAlone(['init', 'rocket']);
    expect(code).toBe(2);
    for (const { name } of TEMPLATES) expect(stderr).toContain(name);
    expect(await berth.runAlone(['init', 'agent', 'x', '--name', '123'])).toMatchObject({ code: 2 });
  });
});
