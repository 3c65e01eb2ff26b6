import { fromSection } from './requirement.ts';

/** Section 14 of the agent's page: standard protocols. */
export const AGENT_PROTOCOLS = fromSection('agent-api §14', {
  'a2a.card': 'GET /.well-known/agent-card.json is the agent’s card, with its endpoint and how callers sign in.',
  'a2a.task': 'A message begins a task in the chat of its context; tasks can be read and listed by context.',
  'a2a.people': 'Tasks are their caller’s own; others are not found.',
  'a2a.stream': 'A streamed task ends with its state; SubscribeToTask joins one that runs.',
  'a2a.cancel': 'Canceling stops the turn, and TaskNotCancelableError answers for a task that has ended.',
  'a2a.approval': 'A call that needs approval makes the task input-required; a data part decides and the task goes on.',
  'a2a.push': 'The addresses of a task are told when it ends or needs input.',
  'ag-ui.turn':
    'POST /ag-ui answers the last message of the user in the chat of the thread’s id, and ends with RUN_FINISHED.',
  'ag-ui.events':
    'Components are Markdown, thinking is reasoning, other frames are CUSTOM events named after their type.',
  'ag-ui.sub-agents': 'Steps of a sub-agent carry its id, between SUBAGENT_STARTED and SUBAGENT_FINISHED.',
  'ag-ui.approval': 'A call that needs approval ends the run with an interrupt; resume decides and the answer goes on.',
  'ag-ui.stop': 'A client that disconnects stops its turn.',
  'ag-ui.refused': 'What can’t be honored is 422 before a run begins.',
  'mcp.tool': 'The MCP server has one tool, which answers a message in a chat of the caller and goes on by chat_id.',
  'mcp.people': 'Callers of the MCP server need a token where the agent has auth, and see their own chats only.',
  'mcp.approval':
    'A call that needs approval does not run: the client’s form decides, or the result says needs_approval.',
  'mcp.cancel': 'A canceled call of the MCP server stops its turn.',
  'mcp.metadata': 'A 401 of /mcp points to the metadata of the resource, which names the issuer.',
});
