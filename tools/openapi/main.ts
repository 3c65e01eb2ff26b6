// Writes docs/openapi.json, docs/api.md and those of agents from the routes, and from the tables of settings the JSON Schema of
// berth.json and the tables in the guides. With --check it compares instead. `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { berthJsonJsonSchema } from '@berth/contract';
import { buildAgentDocument } from './build-agent-document.ts';
import { buildDocument } from './build-document.ts';
import { AGENT_INTRODUCTION, CONTROL_INTRODUCTION } from './introductions.ts';
import { type ReferenceDocument, renderReference } from './render-reference.ts';
import { renderServerSettings } from './render-server-settings.ts';
import { renderServiceVariables } from './render-service-variables.ts';
import { renderSettings } from './render-settings.ts';
import { replaceSection } from './replace-section.ts';

const { document } = await buildDocument();
const { document: agentDocument } = await buildAgentDocument();
const routes = [document, agentDocument].map(({ paths }) => Object.keys(paths ?? {}).length);
const files: readonly (readonly [string, string])[] = [
  ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['docs/api.md', renderReference(document as unknown as ReferenceDocument, CONTROL_INTRODUCTION)],
  ['docs/openapi-agent.json', `${JSON.stringify(agentDocument, null, 2)}\n`],
  ['docs/agent-api.md', renderReference(agentDocument as unknown as ReferenceDocument, AGENT_INTRODUCTION)],
  ['docs/berth.schema.json', `${JSON.stringify(berthJsonJsonSchema(), null, 2)}\n`],
  sectionsOf('docs/guides/projects.md', {
    settings: renderSettings(),
    'service-variables': renderServiceVariables(),
  }),
  sectionsOf('docs/guides/server-settings.md', { 'server-settings': renderServerSettings() }),
];
const isCheck = process.argv.includes('--check');
for (const [name, text] of files) {
  const file = inRepo(name);
  if (!isCheck) writeFileSync(file, text);
  else if (readOrEmpty(file) !== text) {
    console.error(`openapi: ${name} differs from the code it is made from: run npm run openapi`);
    process.exitCode = 1;
  }
}
console.log(`openapi: ${routes.join(' and ')} paths ${isCheck ? 'read' : 'written'}`);
if (routes.includes(0)) process.exitCode = 1;

function inRepo(name: string): string {
  return path.resolve(import.meta.dirname, '../..', name);
}

/** A page of which only sections are generated. */
function sectionsOf(name: string, sections: Readonly<Record<string, string>>): readonly [string, string] {
  const page = readFileSync(inRepo(name), 'utf8');
  return [name, Object.entries(sections).reduce((text, section) => replaceSection(text, ...section), page)];
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
