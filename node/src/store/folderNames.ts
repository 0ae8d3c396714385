// Names of files in a peer's folder that several modules read.

export const PEER_KEY_FILE = 'peer.key'
/** RSA key of RL Swarm. */
export const SWARM_PEM_FILE = 'swarm.pem'
export const ACCOUNT_KEY_FILE = 'account.key'
export const SETTINGS_FILE = 'waggle.yaml'
/** An empty file system of ext4 has it, for root alone: the folder may be a mount. */
export const LOST_AND_FOUND = 'lost+found'
