import type { Patch } from '../simulate/compilePatched.ts'

/** How a row of INVARIANTS.md is made to fail. */
export interface BrokenRow {
  /** Removed from the contracts. */
  patches: readonly Patch[]
  /** The rule that the row checks, if it shares an invariant with others. */
  check?: string
}

const patch = (file: string, before: string, after: string): Patch => ({ file: `${file}.sol`, before, after })
const row = (file: string, before: string, after: string, more: Omit<BrokenRow, 'patches'> = {}): BrokenRow => ({
  patches: [patch(file, before, after)],
  ...more,
})

/** By row; a row that is missing here fails the run. */
export const BROKEN_ROWS: Readonly<Record<string, BrokenRow>> = {
  P1: row('PeerRegistry', '_unlist(holder, peer.index);', ''),
  P2: row('PeerRegistry', '_useNonce(account)', 'nonces(account)'),
  P3: row('PeerRegistry', 'peerKey = keccak256(bytes(peerId));', 'peerKey = keccak256(abi.encode(digest));'),
  P4: row('PeerRegistry', 'if (recovered != expected) revert', 'if (false) revert'),
  P5: row('PeerRegistry', 'open == 0 ? 0 : open + 1', 'open == 0 ? 0 : open'),
  R1: row(
    'Rounds',
    'toUint64(span.fromRound + (timestamp - span.startsAtSec) / span.roundSeconds)',
    'toUint64((timestamp - _schedule[0].startsAtSec) / _newest.roundSeconds)',
  ),
  R2: row(
    'Rounds',
    'return _startIn(_spanOf(round), round);',
    'return _startIn(_spanOf(round), round) + _newest.fromRound;',
  ),
  R3: row('SwarmClaims', 'return open == 0 ? 0 : open - 1;', 'return open == 0 ? 0 : (open - 1) / 2;'),
  C1: row('SwarmClaims', 'account = _registry.accountOf(peerKey);', ''),
  C2: row('SwarmClaims', 'if (_accountOf(keccak256(bytes(claimed[i]))) == account)', ''),
  C3: row('SwarmCoordinator', 'claims.totalRewards[peerKey] += reward;', 'claims.totalRewards[peerKey] = reward;'),
  C4: row('SwarmCoordinator', 'if (claims.rewarded[roundNumber][stageNumber][peerKey]) revert', 'if (false) revert'),
  C5: row('PeerRegistry', 'peer.account = account;', 'if (holder == address(0)) peer.account = account;'),
  V1: row(
    'EvaluatorSeats',
    'uint64 fromRound = _firstOpenRound();\n        uint32 last',
    'uint64 fromRound = _rounds.currentRound();\n        uint32 last',
  ),
  V2: row('EvaluatorSeats', 'list.count = list.count.set(fromRound, last);', ''),
  V3: row('EvaluatorSeats', 'SEATS, seed);', 'SEATS - 1, seed);'),
  V4: row('EvaluatorSeats', 'evaluator.misses += misses;', 'evaluator.misses += 1;'),
  B1: row('RoundBeacons', 'if (beacon != 0) return beacon;', ''),
  B2: {
    patches: [
      patch('ShardBallots', 'if (round > 0 && _beaconOf(round - 1) == 0) revert', 'if (false) revert'),
      patch('RewardVotes', ' || (round > 0 && _beaconOf(round - 1) == 0);', ';'),
    ],
  },
  F1: row('challenges/FalseLeaves', 'return leaf.seed != Draws', 'return leaf.seed != 0 || leaf.seed != Draws'),
  N1: row('Nectar', '_mint(account, amountWei);', '_mint(account, amountWei + 1);'),
  N2: row('Earnings', 'if (word & HOLDS == 0) return _shareOf(word);', 'if (word & HOLDS == 0) return 0;'),
  N3: row('Earnings', '(EMISSION_WEI * weight) / total', '(2 * EMISSION_WEI * weight) / total'),
  N4: row('Earnings', '_lastCounted = round;', ''),
  K1: row('Stakes', 'IBurnableToken(address(_token)).burn(lostWei - paidWei);', ''),
  K2: row('Stakes', 'lostWei = (fullWei * milli) / 1000;', 'lostWei = (fullWei * milli) / 500;'),
  K3: row('Stakes', '|| free == 0 || current < free)', '|| free == 0)'),
  K4: row(
    'Stakes',
    'IBurnableToken(address(_token)).burn(lostWei - paidWei);',
    '_token.safeTransfer(msg.sender, lostWei - paidWei);',
  ),
  K5: row('Stakes', 'if (duty == Duty.Evaluator && !_isEnough', 'if (false && !_isEnough'),
  T1: row('TaskProposals', 'nextSecretHash != 0 && _stakes.mayPropose(peerKey, round + 1)', 'nextSecretHash != 0'),
  T2: row(
    'TaskFaults',
    'return committed && count == 0;',
    'return committed && count == 0 && _stakes.mayPropose(proposerKey, round);',
  ),
  T3: row('TaskFaults', ' || _rounds.beaconOf(round - 2) == 0', ''),
  T4: row('Stakes', 'UNBONDING_ROUNDS = 2 * RING;', 'UNBONDING_ROUNDS = 2;'),
  S1: row('Earnings', 'gains.pointsMilli + scoreMilli - known;', 'gains.pointsMilli + scoreMilli - known + 1;'),
  S2: row('RewardVotes', 'if (_hasOutcome(page.round, peerKey)) return;', ''),
  S3: row(
    'RolloutCommitments',
    'if (word >> 224 != tagOf(round)) revert RolloutCommitments_NoCommitment(round, peerKeys[i]);',
    '',
  ),
  S4: row('ShardBallots', 'if ((votes.ballots[position] >> 224) << 224 == tag) revert', 'if (false) revert'),
  S5: row('RewardVotes', 'totals.pointsMilli += uint40', 'totals.pointsMilli = uint40'),
  S6: row('RewardVotes', 'if (block.timestamp >= closedFromSec) revert', 'if (false) revert'),
  D1: row('challenges/WithheldLeaves', '_credit(challenger, bondWei - paidWei);', '_credit(challenger, bondWei);', {
    check: 'requireBalance',
  }),
  D2: row('challenges/Appeals', 'if (isJudged && !_differs(', 'if (isJudged || !_differs(', {
    check: 'requireNoUpheldLoss',
  }),
  D3: row('challenges/WithheldLeaves', 'if (demand.state != DemandState.None) revert', 'if (false) revert', {
    check: 'requireOneDemandALeaf',
  }),
  D4: row('Earnings', '_gain(peerKey, totals.number, known, scoreMilli, 0);', '', {
    check: 'requirePoints',
  }),
  D5: row('Earnings', 'uint256(totals.weight) + totals.reserved;', 'uint256(totals.weight);', {
    check: 'requireEmission',
  }),
  D6: row(
    'challenges/WithheldLeaves',
    'if (current < demand.openedRound + 2) revert',
    'if (current < demand.openedRound) revert',
    {
      check: 'requireNothingSlips',
    },
  ),
  D7: row('challenges/Appeals', 'if (current < dueRound) revert', 'if (current != dueRound) revert'),
  D8: row('Rulings', '_gain(peerKey, totals.number, votedMilli, votedMilli, 0);', '{}', { check: 'requireWeights' }),
  O1: row('TaskPay', 'PROPOSER_EMISSION_WEI * 4 *', 'PROPOSER_EMISSION_WEI * 40 *'),
  O2: row('ScoreOpenings', 'opened.lanes = word | CLOSED;', ''),
  O3: row('TaskPay', 'opened.lanes = word | TASK_PAID;', ''),
  O4: row('ScoreOpenings', 'if (uint16(word >> shift) != 0) revert', 'if (false) revert'),
  O5: row(
    'TaskProposals',
    'if (_tasks[peerKey][place] >> 224 == tag >> 224) revert RolloutCommitments_AlreadyProposed(round, peerKey);',
    '',
  ),
  O6: row('TaskFaults', '_withheld[round][proposerKey] = true;', ''),
  O7: row('Nectar', '_openings.earnedOf(peerKey) - _claimed', '2 * _openings.earnedOf(peerKey) - _claimed'),
  M1: row(
    'market/MarketPayouts',
    '_credit(game.judge, game.bond);\n        _resolveTo',
    '_credit(game.judge, 2 * game.bond);\n        _resolveTo',
  ),
  M2: row('market/MarketPayouts', 'token.burn(amount);', 'token.safeTransfer(address(1), amount);'),
  M3: row(
    'market/MarketPayouts',
    'for (uint256 choice = 0; choice < choices; ++choice) stake +=',
    'for (uint256 choice = 1; choice < choices; ++choice) stake +=',
  ),
  M4: {
    patches: [
      patch('market/MarketPayouts', '_forgetAll(gameId, game, holder);\n', '\n'),
      // The remainder refuses a second claim, too.
      patch(
        'market/MarketPayouts',
        '(divided.potLeft - portion, divided.stakeLeft - stake);',
        '(divided.potLeft, divided.stakeLeft);',
      ),
    ],
  },
  M5: row('market/MarketPayouts', 'losing - fee + forfeited', 'losing + stake + forfeited'),
  M6: row(
    'market/MarketPools',
    '(own.stake + uint96(stake), uint8(round));',
    '(own.stake + uint96(stake) - 1, uint8(round));',
  ),
  M7: row('market/MarketLedger', '+ 2 * uint256(game.disputeSec)', '+ 20 * uint256(game.disputeSec)'),
  M8: row('market/MarketBets', 'if (order.account == game.judge) revert', 'if (false) revert'),
  M9: row('market/MarketPools', 'uint64(rate < weight ? rate : weight)', 'uint64(weight)'),
  M10: row('libraries/MarketShares', 'toSharesDown(stake, ceiling) > most', 'false'),
  M11: row('market/MarketPayouts', 'if (stakeLeft == 0) (dust, potLeft) = (potLeft, 0);', ''),
  M12: row(
    'market/MarketPayouts',
    '_credit(disputer, game.bond);\n        if (choice',
    '_credit(disputer, game.bond - 1);\n        if (choice',
  ),
}

/** The columns 'taken out' and 'put in' of INVARIANTS.md. */
export function changesOf(broken: BrokenRow | undefined): string {
  const [first] = broken?.patches ?? []
  return `${quoted(first?.before)} | ${quoted(first?.after)}`
}

function quoted(text = ''): string {
  const line = text.split('\n')[0]?.trim() ?? ''
  return line === '' ? 'nothing' : `\`${line.replaceAll('|', '\\|')}\``
}
