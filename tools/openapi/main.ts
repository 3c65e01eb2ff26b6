// Writes docs/openapi.json, docs/api.md and those of agents from the routes themselves, and the JSON Schema of berth.json;
// with --check compares instead.
// `npm run openapi`.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { berthJsonJsonSchema } from '@berth/contract';
import { buildAgentDocument } from './build-agent-document.ts';
import { buildDocument } from './build-document.ts';
import { AGENT_INTRODUCTION, CONTROL_INTRODUCTION } from './introductions.ts';
import { type ReferenceDocument, renderReference } from './render-reference.ts';

const { document } = await buildDocument();
const { document: agentDocument } = await buildAgentDocument();
const routes = [document, agentDocument].map(({ paths }) => Object.keys(paths ?? {}).length);
const files: readonly (readonly [string, string])[] = [
  ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
  ['docs/api.md', renderReference(document as unknown as ReferenceDocument, CONTROL_INTRODUCTION)],
  ['docs/openapi-agent.json', `${JSON.stringify(agentDocument, null, 2)}\n`],
  ['docs/agent-api.md', renderReference(agentDocument as unknown as ReferenceDocument, AGENT_INTRODUCTION)],
  ['docs/berth.schema.json', `${JSON.stringify(berthJsonJsonSchema(), null, 2)}\n`],
];
const isCheck = process.argv.includes('--check');
for (const [name, text] of files) {
  const file = path.resolve(import.meta.dirname, '../..', name);
  if (!isCheck) writeFileSync(file, text);
  else if (readOrEmpty(file) !== text) {
    console.error(`openapi: ${name} differs from the routes: run npm run openapi`);
    process.exitCode = 1;
  }
}
console.log(`openapi: ${routes.join(' and ')} paths ${isCheck ? 'read' : 'written'}`);
if (routes.includes(0)) process.exitCode = 1;

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
