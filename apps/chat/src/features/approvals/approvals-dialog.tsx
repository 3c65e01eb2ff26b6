import type { InboxApproval } from '@berth/contract/agent';
import { Dialog, EmptyState, ErrorNote, Skeleton } from '@berth/ui';
import { ShieldCheck } from 'lucide-react';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { type Api, ApiError } from '../../api/api.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { ConfirmCard } from '../conversation/cards/confirm-card.tsx';
import { useOpenChat } from '../conversation/state/open-chat-context.ts';

/** A dialog that lists the calls that wait for a decision, over all chats. */
export function ApprovalsDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  return (
    <Dialog title={t('approvals.title')} description={t('approvals.text')} isOpen onClose={onClose} isWide>
      <ApprovalInbox />
    </Dialog>
  );
}

/** The calls that wait for the person, and in a team that lets its admins decide those of its members. */
export function ApprovalInbox() {
  const { t } = useChatTexts();
  const { api, teamId } = useAgent();
  const { conversation } = useOpenChat();
  const read = useCallback(() => readInbox(api, teamId !== undefined), [api, teamId]);
  const { value: waiting, error, reload } = useLoaded(read);
  return (
    <>
      {error !== undefined && <ErrorNote error={error} onRetry={() => void reload()} />}
      {waiting === undefined && error === undefined && <Skeleton rows={3} />}
      {waiting?.length === 0 && (
        <EmptyState icon={ShieldCheck} title={t('approvals.none')} text={t('approvals.noneText')} />
      )}
      <ul aria-label={t('approvals.title')} className="flex flex-col">
        {waiting?.map((call) => (
          <li key={call.key}>
            <Place call={call} />
            <ConfirmCard
              frame={{ ...call, type: 'ui', action: 'confirm' }}
              onDecide={async (decision, args) => {
                const params = { path: { key: call.key } };
                await api.post('/approvals/{key}', { params, body: { decision, args } });
                await reload();
                // The open chat shows its answer going on.
                await conversation.refresh();
              }}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

function Place({ call }: { readonly call: InboxApproval }) {
  const { t, language } = useChatTexts();
  const { chat_title: title, expires_at, user_id: user } = call;
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(expires_at),
  );
  return (
    <p dir="auto" className="text-xs text-ink-soft">
      {user === undefined ? t('approvals.in', { title, time }) : t('approvals.of', { title, time, user })}
    </p>
  );
}

/** Returns the person's calls, then those of the team's members that they may decide on. */
async function readInbox(api: Api, isTeam: boolean): Promise<readonly InboxApproval[]> {
  const mine = await api.get('/approvals', {});
  if (!isTeam) return mine;
  const keys = new Set(mine.map(({ key }) => key));
  return [...mine, ...(await readMembers(api)).filter(({ key }) => !keys.has(key))];
}

async function readMembers(api: Api): Promise<readonly InboxApproval[]> {
  try {
    return await api.get('/approvals', { params: { query: { scope: 'workspace' } } });
  } catch (error) {
    // The person is no admin here, or the agent doesn't let admins decide.
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}
