import { createSystemClock } from '@berth/kit';
import { readUserIds } from '../identity/identity-store.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';
import { isLastServer } from './server-token.ts';

/**
 * Runs when the pipe that only the server held has ended: the server is gone, however it died. Arguments: the folder of
 * the running records, the file of the user ids, the server's token and the file that holds the latest token.
 */
const [recordFolder = '', identityFile = '', value = '', file = ''] = process.argv.slice(2);
if (isLastServer({ value, file })) {
  await reapLeftovers(
    {
      records: openRunningRecords(recordFolder),
      userIds: readUserIds(identityFile),
      // A server that comes back meanwhile runs programs as the same users.
      isMine: () => isLastServer({ value, file }),
    },
    createSystemClock(),
  );
}
