import type { Verb } from './command.ts'

/** Every command, in the order in which a new operator meets them. */
export const verbs: Readonly<Record<string, Verb>> = {
  join: {
    summary: 'join a swarm: keys, settings that fit the machine, funds on a local chain, and start',
    load: async () => (await import('./commands/join.ts')).join,
  },
  init: {
    summary: 'make the keys of a new peer, and show its name and the account to fund',
    load: async () => (await import('./commands/init.ts')).init,
  },
  start: {
    summary: 'run a peer: --role solver, proposer, evaluator, judge, auditor or gateway',
    load: async () => (await import('./commands/start.ts')).start,
  },
  fleet: {
    summary: 'run every peer of a machine, each in a process of its own, with a GPU each',
    load: async () => (await import('./commands/fleet.ts')).fleet,
  },
  bootnode: {
    summary: 'run a peer that others meet first, or change the list of them on the chain',
    load: async () => (await import('./commands/bootnode.ts')).bootnode,
  },
  doctor: {
    summary: 'check machine, keys, ports, chain, clock, funds and bootnodes, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  pull: {
    summary: 'download a model from the Hugging Face hub',
    load: async () => (await import('./commands/pull.ts')).pull,
  },
  push: {
    summary: 'publish a model or an adapter on the Hugging Face hub',
    load: async () => (await import('./commands/push.ts')).push,
  },
  environment: {
    summary: 'make the specification of an environment for chat models',
    load: async () => (await import('./commands/environment.ts')).environmentCommand,
  },
  env: {
    summary: 'check a new kind of environment, for its author',
    load: async () => (await import('./commands/env.ts')).env,
  },
  devices: {
    summary: 'show what this machine can run models on',
    load: async () => (await import('./commands/devices.ts')).devicesCommand,
  },
  status: {
    summary: "show a peer's round, points, seat and last rounds",
    load: async () => (await import('./commands/status.ts')).status,
  },
  why: {
    summary: "say in words what became of a peer's work of a round",
    load: async () => (await import('./commands/why.ts')).why,
  },
  audit: {
    summary: "derive every peer's points again from the votes on the chain",
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  bundle: {
    summary: "get a peer's rollouts of a round as a file, verify them against the chain, or export them",
    load: async () => (await import('./commands/bundle.ts')).bundle,
  },
  backup: {
    summary: 'encrypt keys, settings, journal and weights of a peer into a file, also while it runs',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'put a backup back as the folder of a peer',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  sponsor: {
    summary: 'pay for peers without funds: their registration, and gas while they work',
    load: async () => (await import('./commands/sponsor.ts')).sponsor,
  },
  admit: {
    summary: 'seat an evaluator (for who holds the role on the chain)',
    load: async () => (await import('./commands/admit.ts')).admit,
  },
  owner: {
    summary:
      'what owners change: propose it to the timelock, list what waits, execute, cancel; show who holds which role',
    load: async () => (await import('./commands/owner.ts')).owner,
  },
  leaderboard: {
    summary:
      "show the peers by their points; read RL Swarm's leaderboard, or import it into a new swarm (for its owner)",
    load: async () => (await import('./commands/leaderboard.ts')).leaderboard,
  },
  prove: {
    summary: 'sign that an account may hold this peer, for a wallet in a browser',
    load: async () => (await import('./commands/prove.ts')).prove,
  },
  stake: {
    summary: 'stake Nectar for a seat (evaluator), or to propose tasks (proposer)',
    load: async () => (await import('./commands/stake.ts')).stake,
  },
  unstake: {
    summary: 'give notice of a stake, and take it back once it is free',
    load: async () => (await import('./commands/stake.ts')).unstake,
  },
  stakes: {
    summary: 'show what a peer stakes',
    load: async () => (await import('./commands/stake.ts')).stakes,
  },
  send: {
    summary: "send Nectar or coin of a peer's account to another",
    load: async () => (await import('./commands/send.ts')).send,
  },
  model: {
    summary: 'import a GGUF file, or run a model of your own: its logits, or what it generates',
    load: async () => (await import('./commands/model.ts')).model,
  },
  chat: {
    summary: 'talk with a model: a folder, a GGUF file, or one of the hub',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  challenge: {
    summary: 'demand a sampled leaf that nobody gives, or show what is false, on the chain',
    load: async () => (await import('./commands/challenge.ts')).challenge,
  },
  appeal: {
    summary: 'appeal a settled score to a larger committee',
    load: async () => (await import('./commands/appeal.ts')).appeal,
  },
  challenges: {
    summary: 'list challenges, close those that are due, withdraw bonds and pay',
    load: async () => (await import('./commands/challenges.ts')).challenges,
  },
  market: {
    summary: 'open, bet on and settle games of the prediction market',
    load: async () => (await import('./commands/market.ts')).market,
  },
  eval: {
    summary: 'measure policies by running their answers to held-out tasks in a sandbox',
    load: async () => (await import('./commands/evaluate.ts')).evaluate,
  },
  completion: {
    summary: 'print the script by which bash, zsh or fish completes commands',
    load: async () => (await import('./commands/completion.ts')).completionOf(verbs),
  },
}
