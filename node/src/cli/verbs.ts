import type { Verb } from './command.ts'

type Verbs = Readonly<Record<string, Verb>>

/** Every command by purpose, in the order in which a new operator needs them. */
export const verbGroups: Readonly<Record<string, Verbs>> = {
  'Take part': {
    join: {
      summary: 'join a swarm: keys, settings that fit the machine, funds on a local chain, and start',
      load: async () => (await import('./commands/join.ts')).join,
    },
    init: {
      summary: 'create the keys of a new peer, and print its name and the account to fund',
      load: async () => (await import('./commands/init.ts')).init,
    },
    start: {
      summary: 'run a peer: --role solver, proposer, evaluator, judge, auditor or gateway',
      load: async () => (await import('./commands/start.ts')).start,
    },
    fleet: {
      summary: 'run all peers of a machine, each in its own process, with one GPU each',
      load: async () => (await import('./commands/fleet.ts')).fleet,
    },
    doctor: {
      summary: 'check machine, device, keys, ports, chain, clock, funds and bootnodes, and suggest fixes',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
    status: {
      summary: "show a peer's round, points, seat and last rounds",
      load: async () => (await import('./commands/status.ts')).status,
    },
    why: {
      summary: "explain what happened to a peer's work in a round",
      load: async () => (await import('./commands/why.ts')).why,
    },
    leaderboard: {
      summary: "show the peers by their points; read or import RL Swarm's leaderboard",
      load: async () => (await import('./commands/leaderboard.ts')).leaderboard,
    },
    backup: {
      summary: 'write an encrypted backup of keys, settings, journal and weights, also while the peer runs',
      load: async () => (await import('./commands/backup.ts')).backup,
    },
    restore: {
      summary: "restore a peer's folder from a backup",
      load: async () => (await import('./commands/restore.ts')).restore,
    },
  },
  'Check and challenge': {
    audit: {
      summary: "recompute every peer's points from the votes on the chain",
      load: async () => (await import('./commands/audit.ts')).audit,
    },
    bundle: {
      summary: "download a peer's rollouts of a round, verify them against the chain, or export them",
      load: async () => (await import('./commands/bundle.ts')).bundle,
    },
    challenge: {
      summary: 'demand a sampled leaf that is withheld, or prove one false; list, close, withdraw',
      load: async () => (await import('./commands/challenge.ts')).challenge,
    },
    appeal: {
      summary: 'appeal a settled score to a larger committee',
      load: async () => (await import('./commands/appeal.ts')).appeal,
    },
  },
  'Nectar and coin': {
    stake: {
      summary: 'stake Nectar for a seat (evaluator), or to propose tasks (proposer); show the stakes',
      load: async () => (await import('./commands/stake.ts')).stake,
    },
    unstake: {
      summary: 'start the release of a stake, and withdraw it when it is released',
      load: async () => (await import('./commands/stake.ts')).unstake,
    },
    send: {
      summary: "send Nectar or coin from a peer's account",
      load: async () => (await import('./commands/send.ts')).send,
    },
    market: {
      summary: 'open, bet on and settle games of the prediction market',
      load: async () => (await import('./commands/market.ts')).market,
    },
    prove: {
      summary: 'sign a proof that an account may own this peer, for a browser wallet',
      load: async () => (await import('./commands/prove.ts')).prove,
    },
  },
  Models: {
    devices: {
      summary: 'show which devices of this machine can run models',
      load: async () => (await import('./commands/devices.ts')).devicesCommand,
    },
    pull: {
      summary: 'download a model from the Hugging Face hub',
      load: async () => (await import('./commands/pull.ts')).pull,
    },
    push: {
      summary: 'publish a model or an adapter to the Hugging Face hub',
      load: async () => (await import('./commands/push.ts')).push,
    },
    chat: {
      summary: 'chat with a model: a folder, a GGUF file, or a repository on the hub',
      load: async () => (await import('./commands/chat.ts')).chat,
    },
    model: {
      summary: 'import a GGUF file, or run a model on token ids or text',
      load: async () => (await import('./commands/model.ts')).model,
    },
    eval: {
      summary: 'measure policies: run their answers to held-out tasks in a sandbox',
      load: async () => (await import('./commands/evaluate.ts')).evaluate,
    },
  },
  Environments: {
    environment: {
      summary: 'create or check the specification of an environment, or check a kind that you wrote',
      load: async () => (await import('./commands/environment.ts')).environmentCommand,
    },
  },
  'For those who run a swarm': {
    admit: {
      summary: 'give an evaluator a seat during bootstrap',
      load: async () => (await import('./commands/admit.ts')).admit,
    },
    owner: {
      summary: 'change a deployed swarm through its timelock, and show who holds which role',
      load: async () => (await import('./commands/owner.ts')).owner,
    },
    bootnode: {
      summary: 'run a bootnode, or change the list of bootnodes on the chain',
      load: async () => (await import('./commands/bootnode.ts')).bootnode,
    },
    sponsor: {
      summary: 'pay for peers without funds: their registration, and gas while they work',
      load: async () => (await import('./commands/sponsor.ts')).sponsor,
    },
  },
  Shell: {
    completion: {
      summary: 'print a completion script for bash, zsh or fish',
      load: async () => (await import('./commands/completion.ts')).completionOf(verbs),
    },
  },
}

export const verbs: Verbs = Object.assign({}, ...Object.values(verbGroups))
