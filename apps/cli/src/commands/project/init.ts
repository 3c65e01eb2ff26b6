import path from 'node:path';
import { toName } from '@berth/client/pack';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { TEMPLATES, type Template } from '../../init/templates.ts';

/** `berth init`. */
export const init = defineCommand({
  name: 'init',
  summary: 'Create a project from a template',
  description: `Templates, each ready to deploy:\n${TEMPLATES.map(
    ({ name, description }) => `  ${name.padEnd(18)}${description}`,
  ).join(
    '\n',
  )}\nEach has a berth.json with its settings, and that file's JSON Schema for your editor. Existing files are never overwritten.`,
  words: {
    '[template]': `${TEMPLATES.map(({ name }) => name).join(', ')}; agent by default`,
    '[dir]': 'Target folder; the current folder by default',
  },
  options: {
    '-n, --name <name>': "Project name; the folder's name by default",
    '--vendor': 'Include the agent library (7 MB), for package managers other than npm',
  },
  examples: [
    ['berth init agent my-agent', 'an agent in a new folder'],
    ['berth init static', 'a web site here'],
    ['berth init settings', 'a berth.json for the project in this folder'],
  ],
  async run({ words: [wanted = 'agent', dir = '.'], options }, context) {
    const { output, workingFolder, packAgent } = context;
    const template = TEMPLATES.find(({ name }) => name === wanted);
    if (!template) {
      throw new UsageError(`No template "${wanted}". Available: ${TEMPLATES.map(({ name }) => name).join(', ')}.`);
    }
    const folder = path.resolve(workingFolder, dir);
    const name = toName(options.name ?? path.basename(folder));
    if (name === '') throw new UsageError("Can't derive a name from that. Give one with --name.");
    // Loaded on demand: the contract's schemas take longer to load than most commands take to run.
    const { createProject } = await import('../../init/create-project.ts');
    const library = options.vendor ? { packAgent } : { registryUrl: `${(await context.target()).baseUrl}/npm/` };
    const files = await createProject({ template, folder, name, library });
    output.json({ template: template.name, name, folder, files });
    output.say(`Created ${name} from the template "${template.name}": ${files.join(', ')}.`);
    output.say('\nNext:');
    const place = dir === '.' ? '' : ` ${/^[\w./-]+$/.test(dir) ? dir : JSON.stringify(dir)}`;
    for (const line of nextSteps(template, name, place)) output.say(`  ${line}`);
    output.print(folder);
  },
});

/** Returns command lines that work in the current folder; `place` is the project's folder as an argument, or empty. */
function nextSteps({ name: template, isAgent }: Template, name: string, place: string): string[] {
  if (template === 'settings') return [`berth deploy${place}`];
  if (!isAgent) return [`berth dev${place}`, `berth deploy${place}`];
  return [
    `npm install${place === '' ? '' : ` --prefix${place}`}`,
    `berth dev${place}`,
    'berth chat http://localhost:3000',
    ...(template === 'agent-with-tools' ? [`berth env set ${name} MODEL_KEY`] : []),
    `berth deploy${place}`,
    `berth chat ${name}`,
  ];
}
