import { safeLine, safeName, safeText } from '@berth/agent-core';
import { z } from 'zod';
import { McpError } from './mcp-error.ts';
import { withMcpSpan } from './mcp-span.ts';
import { isObject } from './plain-schema.ts';
import { parseRemoteTool, type RemoteTool } from './remote-tool.ts';
import type { McpSession } from './with-session.ts';

/** A prompt of an MCP server: a text template with arguments that the user fills in. */
export interface RemotePrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** The tools and prompts of a server. */
export interface ServerLists {
  readonly tools: readonly RemoteTool[];
  readonly prompts: readonly RemotePrompt[];
  /** Number of entries that can't be used. */
  readonly leftOut: number;
  /** TTL that the server gives; undefined when it gives none. */
  readonly ttlMs?: number;
}

/** Maximum number of tools of a server; further ones are left out. */
export const MAX_TOOLS = 500;
const MAX_PROMPTS = 200;
const MAX_PAGES = 64;
const MAX_ARGUMENTS = 20;

/** A page of either list; its entries are parsed one by one. */
const pageSchema = z.looseObject({
  nextCursor: z.string().optional().catch(undefined),
  ttlMs: z.number().optional().catch(undefined),
});

/** Reads the lists that the server's capabilities announce. @throws McpError */
export async function readLists(session: McpSession): Promise<ServerLists> {
  const { tools: hasTools, prompts: hasPrompts } = session.client.getServerCapabilities() ?? {};
  const tools = hasTools ? await readList(session, 'tools', MAX_TOOLS) : NOTHING;
  const prompts = hasPrompts ? await readList(session, 'prompts', MAX_PROMPTS) : NOTHING;
  const parsedTools = keep(tools.entries, parseRemoteTool);
  const parsedPrompts = keep(prompts.entries, parsePrompt);
  const hints = [tools.ttlMs, prompts.ttlMs].filter((one) => one !== undefined);
  return {
    tools: parsedTools,
    prompts: parsedPrompts,
    leftOut: tools.total + prompts.total - parsedTools.length - parsedPrompts.length,
    ...(hints.length > 0 && { ttlMs: Math.max(0, Math.min(...hints)) }),
  };
}

interface RawList {
  readonly entries: readonly unknown[];
  readonly total: number;
  readonly ttlMs?: number | undefined;
}

const NOTHING: RawList = { entries: [], total: 0 };

async function readList(session: McpSession, what: 'tools' | 'prompts', max: number): Promise<RawList> {
  const entries: unknown[] = [];
  const cursors = new Set<string>();
  let total = 0;
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await withMcpSpan(session, `${what}/list`, {}, () =>
      session.client.request({ method: `${what}/list`, params }, pageSchema, session.request),
    );
    const more = page[what];
    if (!Array.isArray(more)) throw new McpError('failed', `answered ${what}/list with no list`);
    total += more.length;
    entries.push(...more.slice(0, max - entries.length));
    ttlMs = page.ttlMs ?? ttlMs;
    cursor = page.nextCursor;
    // The server repeats its pages, or has too many.
    if (cursor !== undefined && (cursors.has(cursor) || cursors.size >= MAX_PAGES)) break;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && entries.length < max);
  return { entries, total, ttlMs };
}

/** Keeps the first entry of each name. */
function keep<Entry extends { readonly name: string }>(
  entries: readonly unknown[],
  parse: (entry: unknown) => Entry | undefined,
): readonly Entry[] {
  const kept = new Map<string, Entry>();
  for (const entry of entries) {
    const parsed = attempt(() => parse(entry));
    if (parsed && !kept.has(parsed.name)) kept.set(parsed.name, parsed);
  }
  return [...kept.values()];
}

/** Treats an entry that is nested too deeply as invalid. */
function attempt<Entry>(parse: () => Entry | undefined): Entry | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parsePrompt(definition: unknown): RemotePrompt | undefined {
  if (!isObject(definition)) return undefined;
  const name = safeName(definition['name']);
  if (name === undefined) return undefined;
  const given = Array.isArray(definition['arguments']) ? definition['arguments'].slice(0, MAX_ARGUMENTS) : [];
  return {
    name,
    title: safeLine(definition['title'], 80) || name,
    description: safeText(definition['description'], 1_000),
    arguments: given.flatMap((one) => {
      const argument = isObject(one) ? safeName(one['name']) : undefined;
      return argument === undefined ? [] : [{ name: argument, isRequired: one.required === true }];
    }),
  };
}
