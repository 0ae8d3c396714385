/** A change of one line that no caller can notice: a run neither tries nor judges it. */
export interface Equivalent {
  /** Path from the repository's root. */
  file: string
  /** The line's text, without indentation. */
  before: string
  /** The same with the change. */
  after: string
  /** Why no state, event, result or error can differ. Gas may. */
  reason: string
}

const src = (name: string) => `contracts/src/${name}.sol`

/** Each was found as a survivor, and shown to be none by reading. A change that can be noticed belongs in a test instead. */
export const equivalents: readonly Equivalent[] = [
  {
    file: src('Stakes'),
    before: 'if (lostWei > amountWei) lostWei = amountWei;',
    after: 'if (lostWei >= amountWei) lostWei = amountWei;',
    reason: 'Where both are equal, the assignment writes the value that is there.',
  },
  {
    file: src('Stakes'),
    before: 'return amountWei * 1000 >= fullStakeOf(duty) * MIN_SHARE_MILLI;',
    after: 'return amountWei * 1001 >= fullStakeOf(duty) * MIN_SHARE_MILLI;',
    reason: 'A stake is a whole number of thousandths of the full one: 500 of them suffice and 499 do not, either way.',
  },
  {
    file: src('PeerRegistry'),
    before: 'peerKeys = new bytes32[](limit < rest ? limit : rest);',
    after: 'peerKeys = new bytes32[](limit <= rest ? limit : rest);',
    reason: 'Where both are equal, either is the same number.',
  },
  {
    file: src('ShardBallots'),
    before: 'uint256[2] memory packed;',
    after: 'uint256[3] memory packed;',
    reason: 'A ballot has at most 32 scores, so the third word is neither written nor read.',
  },
  {
    file: src('ScoreOpenings'),
    before: 'uint256 internal constant TASK_PAID = 1 << 97;',
    after: 'uint256 internal constant TASK_PAID = 1 << 98;',
    reason: 'Bits 97 to 223 of the word hold nothing else, it is internal, and every use takes the constant.',
  },
  {
    file: src('ScoreOpenings'),
    before: 'uint256 internal constant TASK_PAID = 1 << 97;',
    after: 'uint256 internal constant TASK_PAID = 2 << 97;',
    reason: 'Bits 97 to 223 of the word hold nothing else, it is internal, and every use takes the constant.',
  },
  {
    file: src('ScoreOpenings'),
    before: 'return a > b ? a - b : b - a;',
    after: 'return a >= b ? a - b : b - a;',
    reason: 'Where both are equal, either difference is 0.',
  },
  {
    file: src('challenges/WithheldLeaves'),
    before: 'index = Draws.distinct(owed, uint256(sample.place) + 1, seed)[sample.place];',
    after: 'index = Draws.distinct(owed, uint256(sample.place) + 2, seed)[sample.place];',
    reason:
      'A step of the draw depends on the steps before it alone, and the pay for a response does not measure this call.',
  },
  {
    file: src('challenges/WithheldLeaves'),
    before: 'return paidWei < bondWei ? paidWei : bondWei;',
    after: 'return paidWei <= bondWei ? paidWei : bondWei;',
    reason: 'Where both are equal, either is the smaller.',
  },
  {
    file: src('challenges/AppealCases'),
    before: 'bool isLower = scoreMilli < standingMilli;',
    after: 'bool isLower = scoreMilli <= standingMilli;',
    reason: 'Equal scores do not differ by more than the tolerance, so they were returned before.',
  },
  {
    file: src('challenges/AppealCases'),
    before: 'Level[2] steps;',
    after: 'Level[3] steps;',
    reason: 'A case has two levels at most, and the steps are the last part of a structure that only a mapping holds.',
  },
  {
    file: src('challenges/Appeals'),
    before: 'uint32 drawn = seats > most ? most : seats;',
    after: 'uint32 drawn = seats >= most ? most : seats;',
    reason: 'Where both are equal, either is the same number.',
  },
  {
    file: src('libraries/Tally'),
    before: 'return votes < 2 ? 2 : votes;',
    after: 'return votes <= 2 ? 2 : votes;',
    reason: 'Where both are equal, either is 2.',
  },
  {
    file: src('market/MarketDisputes'),
    before: 'for (uint256 i = 0; i < seats; ++i) {',
    after: 'for (uint256 i = 0; i <= seats; ++i) {',
    reason:
      'Verdicts are kept at places of the committee alone, and the empty word behind the last equals no lane, which is at least 1.',
  },
  {
    file: src('market/MarketPayouts'),
    before: 'if (stakeLeft == 0) (dust, potLeft) = (potLeft, 0);',
    after: 'if (stakeLeft == 0) (dust, potLeft) = (potLeft, 1);',
    reason: 'Only a claim of more stake reads what is left of the pot, and none is left.',
  },
  {
    file: src('market/MarketPayouts'),
    before: 'for (uint256 choice = 0; choice < choices; ++choice) stake += _positions[gameId][choice][holder].stake;',
    after: 'for (uint256 choice = 0; choice <= choices; ++choice) stake += _positions[gameId][choice][holder].stake;',
    reason: 'A bet on a choice beyond the last is refused, so the additional stake is 0.',
  },
  {
    file: src('market/MarketPayouts'),
    before: 'for (uint256 choice = 0; choice < choices; ++choice) {',
    after: 'for (uint256 choice = 0; choice <= choices; ++choice) {',
    reason: 'A bet on a choice beyond the last is refused, so there is no additional position to forget.',
  },
  {
    file: src('market/MarketPools'),
    before: 'batch = Batch(0, uint96(most), uint64(rate < weight ? rate : weight));',
    after: 'batch = Batch(0, uint96(most), uint64(rate <= weight ? rate : weight));',
    reason: 'Where both are equal, either is the smaller.',
  },
  {
    file: src('market/MarketPools'),
    before: 'return rate < weight ? rate : weight;',
    after: 'return rate <= weight ? rate : weight;',
    reason: 'Where both are equal, either is the smaller.',
  },
]
