import { fromSection } from './requirement.ts';

/** Section 7 of the agent's page, and what section 1 says of X-Workspace. */
export const AGENT_WORKSPACES = {
  ...fromSection('agent-api §1', {
    'workspace.header':
      'X-Workspace enters one’s own personal workspace or a team one has a role in; absent, the personal.',
    'workspace.alike': 'Any other X-Workspace is 404: foreign, deleted, malformed and random ids are told alike.',
    'workspace.solo': 'Without workspaces X-Workspace is ignored and the routes of section 7 are not there.',
    'workspace.matrix': 'It is honoured by every state route but /workspaces* and the public routes of shares.',
    'workspace.person': 'Files belong to the workspace; chats, shares and tool settings are per user inside it.',
  }),
  ...fromSection('agent-api §5', {
    'workspace.trash': 'DELETE of the trash is for the workspace’s owner and admins, else 403.',
  }),
  ...fromSection('agent-api §6', {
    'workspace.share': 'Public routes of a team’s shares take ?ws=, and end with what the sharer is in it.',
  }),
  ...fromSection('agent-api §7', {
    'workspace.row': 'A workspace is {id,name,type,role,icon?,created_at,created_by}.',
    'workspace.active': 'GET /workspace answers the active workspace with the caller’s role.',
    'workspace.list':
      'GET /workspaces answers the personal workspace and the teams; all=1 is for org admins, never content.',
    'workspace.create':
      'POST takes {name of 1 to 80, icon?} and answers the row; 403 by policy, 409 for reserved names.',
    'workspace.roles': 'Roles are owner, admin and editor; PATCH and DELETE are for the owner or an org admin.',
    'workspace.general': 'Org members also get General; who is excluded does not, and once deleted it stays away.',
    'workspace.members': 'GET …/members answers [{user_id,role,added_by,added_at}].',
    'workspace.members-put': 'PUT …/members/{user_id} {role} is for managers.',
    'workspace.members-delete': 'DELETE …/members/{user_id} is for managers, or for oneself.',
    'workspace.owner': 'The owner row is immutable.',
    'workspace.streams': 'A removed member’s open streams end within 60 s.',
  }),
} as const;
