import { fromSection } from './requirement.ts';

/** "Approvals" of section 2 of the agent's page, and what its model and tools owe to the rest of it. */
export const AGENT_APPROVALS = fromSection('agent-api §2', {
  'approval.order':
    'The organization’s switch decides first, then the person’s mode, then auto, then the risk that the tool declares.',
  'approval.ask':
    'Asking emits ui confirm with id, key, tool, tool_name, step, label, args, risk and ends the turn; nothing is run.',
  'step.pending': 'The step of an undecided call is pending, and is replaced when the call runs.',
  'approval.route': 'POST /chats/{id}/approvals/{key} takes approve, deny or always; 404 for a key that is not good.',
  'approval.args': "Changed arguments that the tool doesn't allow are 422, and the approval still waits.",
  'approval.continues':
    'A decision is recorded in the chat; when none is left undecided, the answer goes on as a run without a message.',
  'approval.reason':
    'The reason of a decision is recorded with it, and the model is told why a call was denied; over 500 characters is 422.',
  'approval.inbox': 'GET /approvals lists what waits over all chats of the caller, until it expires.',
  'approval.delegated':
    'With scope=workspace, owners and admins of a team see and decide what waits for its members, where the agent lets them.',
  'approval.message': 'approvals:[key] in the next message approves too.',
  'approval.bound': 'A key is of one person, chat, tool, its arguments and its definition, and expires.',
  'approval.once': 'A key is good once; a forged, replayed or altered one asks again.',
  'turn.disabled-tools': 'disabled_tools leaves tools out of this turn.',
  'turn.stopped': 'At stop, unfinished calls of tools get an error result, and the model is told at the next turn.',
  'step.result': 'The result of a step is at most 3,000 characters long.',
});
