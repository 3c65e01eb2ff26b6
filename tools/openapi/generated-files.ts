import { readFileSync } from 'node:fs';
import path from 'node:path';
import { berthJsonJsonSchema, platformFileJsonSchema } from '@berth/contract';
import { buildAgentDocument } from './build-agent-document.ts';
import { buildDocument } from './build-document.ts';
import { AGENT_INTRODUCTION, CONTROL_INTRODUCTION } from './introductions.ts';
import { renderPermissions } from './render-permissions.ts';
import { type ReferenceDocument, renderReference } from './render-reference.ts';
import { renderServerSettings } from './render-server-settings.ts';
import { renderServiceVariables } from './render-service-variables.ts';
import { renderSettings } from './render-settings.ts';
import { renderTools } from './render-tools.ts';
import { renderTypes } from './render-types.ts';
import { replaceSection } from './replace-section.ts';

/** A file that is generated from the code and checked in. */
export interface GeneratedFile {
  /** Relative to the root of the repo. */
  readonly name: string;
  readonly text: string;
}

/**
 * Generates the documents, the references, the types of @berth/client, the JSON Schema of berth.json, and sections of guides; the
 * other sections are read below `root`.
 */
export async function generateFiles(root: string): Promise<GeneratedFile[]> {
  const { document: control } = await buildDocument();
  const { document: agent } = await buildAgentDocument();
  const reference = (document: typeof control, introduction: readonly string[]) =>
    renderReference(document as unknown as ReferenceDocument, introduction);
  const guide = (name: string, sections: Readonly<Record<string, string>>) => {
    const page = readFileSync(path.join(root, name), 'utf8');
    return { name, text: Object.entries(sections).reduce((text, section) => replaceSection(text, ...section), page) };
  };
  return [
    { name: 'docs/openapi.json', text: toJson(control) },
    { name: 'docs/api.md', text: reference(control, CONTROL_INTRODUCTION) },
    { name: 'packages/client/src/generated/control-api.ts', text: await renderTypes(control) },
    { name: 'docs/openapi-agent.json', text: toJson(agent) },
    { name: 'docs/agent-api.md', text: reference(agent, AGENT_INTRODUCTION) },
    { name: 'packages/client/src/generated/agent-api.ts', text: await renderTypes(agent) },
    { name: 'docs/berth.schema.json', text: toJson(berthJsonJsonSchema()) },
    { name: 'docs/platform.schema.json', text: toJson(platformFileJsonSchema()) },
    guide('docs/guides/projects.md', { settings: renderSettings(), 'service-variables': renderServiceVariables() }),
    guide('docs/guides/mcp.md', { tools: renderTools() }),
    guide('docs/guides/kubernetes.md', { permissions: renderPermissions() }),
    guide('docs/guides/server-settings.md', { 'server-settings': renderServerSettings() }),
  ];
}

/** Returns the names of the files that are missing below `root` or have another text there. */
export function findDrift(root: string, files: readonly GeneratedFile[]): string[] {
  return files.filter(({ name, text }) => readOrEmpty(path.join(root, name)) !== text).map(({ name }) => name);
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
