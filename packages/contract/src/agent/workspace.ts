import { z } from '@hono/zod-openapi';
import { flagSchema } from './flag.ts';
import { AGENT_LIMITS } from './limits.ts';

/** A role in a workspace. Source: docs/contract/agent-api.md §7. */
export const workspaceRoleSchema = z.enum(['owner', 'admin', 'editor']);

export type WorkspaceRole = z.infer<typeof workspaceRoleSchema>;

/**
 * The id of General, the team of all members of an organization until it is deleted. Source: docs/contract/agent-api.md §7.
 */
export const GENERAL_ID = 't-shared';

/**
 * Invisible characters that names can't contain. The joiners U+200C and U+200D are allowed: emoji and some scripts need
 * them.
 */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Returns the form of a name that is compared: names that differ only in case, width or invisible characters are equal. */
export function foldWorkspaceName(name: string): string {
  return name.normalize('NFKC').replaceAll(IGNORABLE, '').trim().toLowerCase();
}

/** The name of a workspace, normalized to NFC and trimmed. Its length is counted in code points. */
export const workspaceNameSchema = z
  .string()
  .transform((name) => name.normalize('NFC').trim())
  .superRefine((name, context) => {
    const message = nameProblem(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message, params: { type: 'name_invalid' } });
  })
  .openapi({ type: 'string', minLength: 1, maxLength: AGENT_LIMITS.workspaceNameCharacters, example: 'Marketing' });

function nameProblem(name: string): string | undefined {
  if (!name.isWellFormed() || UNSEEN.test(name)) return 'a name has no control and no direction characters';
  if (foldWorkspaceName(name) === '') return 'a name has at least one visible character';
  const most = AGENT_LIMITS.workspaceNameCharacters;
  return [...name].length > most ? `a name has at most ${most} characters` : undefined;
}

const EMOJI = /^\p{RGI_Emoji}$/v;

/** The icon of a workspace: one emoji, or null or an empty string for none. */
export const workspaceIconSchema = z
  .string()
  .nullable()
  .transform((icon) => icon || null)
  .refine((icon) => icon === null || EMOJI.test(icon), 'an icon is one emoji')
  .openapi({ type: ['string', 'null'], example: '🚀' });

/** A workspace. Source: docs/contract/agent-api.md §7. */
export const workspaceSchema = z
  .object({
    id: z.string().openapi({ description: '`u-<user id>`, or `t-…` of a team', example: 't-shared' }),
    name: z.string(),
    type: z.enum(['personal', 'team']),
    role: workspaceRoleSchema.nullable().openapi({
      description: "Role of the caller; null for other people's personal workspaces, which only `all` lists",
    }),
    icon: z.string().optional().openapi({ description: 'One emoji' }),
    created_at: z.iso.datetime(),
    created_by: z.string().nullable().openapi({ description: 'A user ID; null for General' }),
  })
  .openapi('Workspace');

export type Workspace = z.infer<typeof workspaceSchema>;

/** Response of `GET /workspaces`. */
export const workspacesSchema = z.array(workspaceSchema);

/** Query of `GET /workspaces`. */
export const listWorkspacesQuerySchema = z.object({
  all: flagSchema
    .optional()
    .openapi({ description: 'For admins of the organization: all its workspaces. Ignored for others' }),
});

/** Body of `POST /workspaces`. */
export const createWorkspaceSchema = z
  .object({ name: workspaceNameSchema, icon: workspaceIconSchema.optional() })
  .openapi('CreateWorkspace');

/** Body of `PATCH /workspaces/{id}`. */
export const patchWorkspaceSchema = z
  .object({ name: workspaceNameSchema.optional(), icon: workspaceIconSchema.optional() })
  .refine(({ name, icon }) => name !== undefined || icon !== undefined, 'send a name, an icon or both')
  .openapi('PatchWorkspace');

/** A user id, with the same bounds as ids in tokens. */
const userIdSchema = z
  .string()
  .min(1)
  .max(AGENT_LIMITS.userIdCharacters)
  .refine((id) => id.isWellFormed() && !/\p{Cc}/u.test(id), 'a user id has no control characters')
  .openapi({ example: 'user_2abc' });

/** Path parameters of a workspace's routes. */
export const workspaceParamsSchema = z.object({ id: z.string() });

/** Path parameters of a member's routes. */
export const memberParamsSchema = workspaceParamsSchema.extend({ user_id: userIdSchema });

/** Body of `PUT /workspaces/{id}/members/{user_id}`. The owner of a workspace can't change. */
export const putMemberSchema = z.object({ role: z.enum(['admin', 'editor']) }).openapi('PutWorkspaceMember');

/** A person, with the name and the e-mail address that their token told. */
export const personSchema = z
  .object({
    user_id: z.string(),
    name: z.string().optional(),
    email: z.string().optional(),
  })
  .openapi('Person');

export type Person = z.infer<typeof personSchema>;

/** Response of `GET /me`. */
export const meSchema = personSchema
  .extend({
    picture: z.string().optional(),
    org_id: z.string().optional(),
    org_slug: z.string().optional(),
  })
  .openapi('Me');

export type Me = z.infer<typeof meSchema>;

/** Query of `GET /people`. */
export const findPeopleQuerySchema = z.object({
  q: z.string().max(200).default('').openapi({ description: 'Part of a name or of an e-mail address' }),
});

/** Response of `GET /people`. */
export const peopleSchema = z.array(personSchema);

/**
 * A member of a workspace. General also lists people who were removed from it, as `excluded`. Source:
 * docs/contract/agent-api.md §7.
 */
export const workspaceMemberSchema = personSchema
  .extend({
    role: z.enum([...workspaceRoleSchema.options, 'excluded']),
    added_by: z.string(),
    added_at: z.iso.datetime(),
  })
  .openapi('WorkspaceMember');

export type WorkspaceMember = z.infer<typeof workspaceMemberSchema>;

/** Response of `GET /workspaces/{id}/members`. */
export const workspaceMembersSchema = z.array(workspaceMemberSchema);
