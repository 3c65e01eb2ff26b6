/** Claims of ids; emptied at every boot, as is what the claims are for. */
export const CLAIM_FOLDER = '/run/berth';
/** In the data folder: what a runtime has to remember. */
export const STATE_FOLDER = 'runtime';
/** In the state folder: the programs that run. */
export const RECORD_FOLDER = 'running';
/** In the state folder: names a server's processes. */
export const TOKEN_FILE = 'server';
/** In the state folder: which owner has which ids. */
export const USERS_FILE = 'users.json';
