import { quote } from '@berth/ui';
import { useAgent } from '../../api/agent-context.ts';
import { useAgentCall } from '../../api/use-agent-call.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';

/** Returns functions that write shell commands to continue the open chat, with `curl` and with `berth`. */
export function useChatCommand() {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const { config, teamId } = useAgent();
  const { toCommand } = useAgentCall();
  const message = t('palette.sample');
  const idOf = () => (config.auth ? conversation.state.get().chatId : undefined);
  return {
    curl() {
      const id = idOf();
      const path = id === undefined ? '/chat' : `/chat?id=${encodeURIComponent(id)}`;
      return toCommand({ method: 'POST', path, body: { messages: [{ role: 'user', content: message }] } });
    },
    berth() {
      const id = idOf();
      const words = ['npx berth chat', quote(location.origin)];
      if (id !== undefined) words.push('--chat', quote(id));
      if (teamId !== undefined) words.push('--workspace', quote(teamId));
      return [...words, '-m', quote(message)].join(' ');
    },
  };
}
