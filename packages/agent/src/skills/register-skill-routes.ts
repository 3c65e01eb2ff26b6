import { type AgentApp, type RouteGuard, routesOf, type ToolFiles } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';
import { skillsSchema } from '@berth/contract/agent';
import { jsonResponse } from '@berth/http';
import type { Skills } from './create-skills.ts';

/** Dependencies of {@link registerSkillRoutes}. */
export interface SkillRouteDeps extends RouteGuard {
  /** Undefined for an agent without skills. */
  readonly skills: Skills | undefined;
  /** Returns the files of a workspace. */
  filesOf(workspace: OwnerKey): ToolFiles;
}

/** Registers `GET /skills`. Source: docs/contract/agent-api.md §12. */
export function registerSkillRoutes(app: AgentApp, deps: SkillRouteDeps): void {
  const { skills, filesOf } = deps;
  const route = routesOf(app, deps, 'Skills');
  route('GET /skills', 'listSkills', {
    access: 'user',
    summary: "List the agent's skills for the caller in this workspace",
    responses: { 200: jsonResponse(skillsSchema, "The agent's own first; skills with a `problem` are not used") },
  }).handle(async (c) => c.json([...((await skills?.list(filesOf(c.get('workspace').key))) ?? [])], 200));
}
