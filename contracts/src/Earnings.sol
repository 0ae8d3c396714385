// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEarnings} from "./interfaces/IEarnings.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {FINALITY_ROUNDS, OUTCOME_RING} from "./libraries/Ring.sol";
import {Tally} from "./libraries/Tally.sol";
import {Weights} from "./libraries/Weights.sol";

/// @title Earnings
/// @notice The part of `RewardVotes` that stores outcomes, points and earnings.
abstract contract Earnings is IEarnings {
    using Weights for uint80;

    /// @dev Totals by which a round's emission is shared.
    struct Totals {
        // slot 0
        uint40 pointsMilli;
        uint40 weight; // of those points, see `Weights`
        uint40 meanWeight; // of the counted rounds before
        uint32 reserved; // what open appeals could add to the weight
        uint24 heardShards; // of which a quorum revealed
        uint24 shards; // 0 while none is heard
        uint24 scoredPeers; // settled with points
        uint24 number; // among counted rounds, from 1; 0 for a round that does not count
    }

    /// @dev A peer's gains.
    struct Account {
        // slot 0
        uint56 pointsMilli; // of all settled rounds
        uint96 earnedWei; // of those rounds that its rings no longer hold
        uint24 number; // of the counted round in the lowest lane
        uint80 lanes; // see `Weights`
    }

    /// @inheritdoc IEarnings
    uint256 public constant EMISSION_WEI = 1_000 ether;

    /// @inheritdoc IEarnings
    uint16 public constant TOLERANCE_MILLI = 25;

    /// @dev Field of a word of outcomes: number of open challenges against it. Until they are closed it earns nothing.
    uint256 internal constant HOLDS = uint256(type(uint16).max) << 24;

    uint256 private constant BEFORE_AT = 40;

    IRounds private immutable _clock;

    /// @dev The round + 1 in the upper 64 bits; from bit 40 on, 16 bits for the sum of the peer's scores in the seven
    /// counted rounds before; from bit 24 on, 16 bits of `HOLDS`; from bit 16 on, 8 bits of outcome (0 before
    /// settlement); then the score.
    mapping(bytes32 peerKey => uint256[OUTCOME_RING] words) internal _outcomes;

    /// @dev Words that were held when the ring overwrote them.
    mapping(bytes32 peerKey => mapping(uint64 round => uint256 word)) internal _parked;

    mapping(bytes32 peerKey => Account account) internal _accounts;
    mapping(uint64 round => Totals totals) internal _totals;

    /// @dev The newest counted round: one that was settled and was not an outage. 0 if there is none.
    uint64 internal _lastCounted;

    /// @param clock The clock.
    constructor(IRounds clock) {
        _clock = clock;
    }

    /// @inheritdoc IEarnings
    function points(bytes32 peerKey) external view returns (uint256 total) {
        return _accounts[peerKey].pointsMilli;
    }

    /// @inheritdoc IEarnings
    function totalsOf(
        uint64 round
    ) external view returns (uint256 pointsMilli, uint256 peers, uint256 weight, uint256 meanWeight) {
        Totals storage totals = _totals[round];
        return (totals.pointsMilli, totals.scoredPeers, totals.weight, totals.meanWeight);
    }

    /// @inheritdoc IEarnings
    function earnedOf(bytes32 peerKey) external view returns (uint256 amountWei) {
        amountWei = _accounts[peerKey].earnedWei;
        uint64 firstOpen = _clock.firstOpenRound();
        for (uint256 i = 0; i < OUTCOME_RING; ++i) {
            uint256 word = _outcomes[peerKey][i];
            if (_isFinal(word, firstOpen)) amountWei += _shareOf(word);
        }
    }

    /// @inheritdoc IEarnings
    function outcomeOf(uint64 round, bytes32 peerKey) external view returns (uint8 outcome, uint16 scoreMilli) {
        uint256 word = _wordOf(round, peerKey);
        (outcome, scoreMilli) = (uint8(word >> 16), uint16(word));
    }

    /// @dev Counts a round when its first page is opened, unless it was an outage, and fixes the mean weight that it is
    /// compared with.
    function _numberOf(uint64 round, bool isHeard) internal returns (uint24 number) {
        Totals storage totals = _totals[round];
        number = totals.number;
        // An outage has no number, and keeps the mean of its first page.
        if (number != 0 || totals.meanWeight != 0) return number;
        Totals storage last = _totals[_lastCounted];
        uint40 meanWeight = Weights.meanOf(last.number, last.meanWeight, last.weight);
        totals.meanWeight = meanWeight;
        if (isHeard) {
            unchecked {
                totals.number = number = last.number + 1;
            }
            _lastCounted = round;
        }
        emit RoundCounted(round, number, meanWeight);
    }

    /// @dev Stores a peer's outcome, once, and adds its score to its points; the caller updates the round's totals.
    /// `number` is the round's number among counted rounds, or 0 if it does not count: then the key's scores do not
    /// change.
    function _recordOutcome(
        uint64 round,
        bytes32 peerKey,
        uint8 outcome,
        uint16 scoreMilli,
        uint24 number
    ) internal returns (uint256 weight) {
        uint256[OUTCOME_RING] storage ring = _outcomes[peerKey];
        uint256 known = ring[round % OUTCOME_RING];
        uint256 word = (uint256(round) + 1) << 192;
        uint256 earnedWei = 0;
        if (known >> 192 == word >> 192) word |= known & HOLDS;
        else earnedWei = _leave(peerKey, known);
        uint256 beforeMilli = _beforeOf(peerKey, number);
        ring[round % OUTCOME_RING] = word | (beforeMilli << BEFORE_AT) | (uint256(outcome) << 16) | scoreMilli;
        if (scoreMilli == 0 && earnedWei == 0) return 0;
        _gain(peerKey, number, 0, scoreMilli, earnedWei);
        return Weights.weightOf(scoreMilli, beforeMilli);
    }

    /// @dev Replaces a round's outcome by one without a score, before or after settlement.
    function _annul(uint64 round, bytes32 peerKey, uint8 outcome) internal returns (uint16 lostMilli) {
        uint256 word = _wordOf(round, peerKey);
        if (word == 0) {
            _recordOutcome(round, peerKey, outcome, 0, 0);
            return 0;
        }
        if (uint8(word >> 16) == outcome) revert RewardVotes_AlreadyAnnulled(round, peerKey);
        lostMilli = uint16(word);
        _setWord(round, peerKey, _rescore(round, peerKey, word, outcome, 0));
    }

    /// @dev Replaces the score in a word: in the round's totals, and in the peer's points and scores, which may hold
    /// the committee's median meanwhile. Rounds settled since then keep their weight.
    function _rescore(
        uint64 round,
        bytes32 peerKey,
        uint256 word,
        uint8 outcome,
        uint16 scoreMilli
    ) internal returns (uint256 changed) {
        uint16 known = uint16(word);
        changed = ((word >> 24) << 24) | (uint256(outcome) << 16) | scoreMilli;
        Totals storage totals = _totals[round];
        totals.pointsMilli = totals.pointsMilli - known + scoreMilli;
        totals.weight = uint40(totals.weight - _weightOf(word) + _weightOf(changed));
        _gain(peerKey, totals.number, known, scoreMilli, 0);
    }

    /// @dev Replaces a peer's score, and its earnings of the round.
    function _gain(bytes32 peerKey, uint24 number, uint16 known, uint16 scoreMilli, uint256 earnedWei) internal {
        Account memory gains = _accounts[peerKey];
        gains.pointsMilli = gains.pointsMilli + scoreMilli - known;
        gains.earnedWei += uint96(earnedWei);
        if (number > gains.number) {
            gains.lanes = gains.lanes.ahead(number - gains.number);
            gains.number = number;
        }
        if (number != 0) gains.lanes = gains.lanes.withScore(gains.number - number, scoreMilli);
        _accounts[peerKey] = gains;
    }

    /// @dev Credits the earnings of a word that the ring is about to overwrite: it was final long ago, or is held, and
    /// is then kept until released.
    function _leave(bytes32 peerKey, uint256 word) internal returns (uint256 earnedWei) {
        if (word & HOLDS == 0) return _shareOf(word);
        _parked[peerKey][uint64(word >> 192) - 1] = word;
    }

    /// @dev Changes an existing word; the round's totals must be up to date.
    function _setWord(uint64 round, bytes32 peerKey, uint256 word) internal {
        uint256[OUTCOME_RING] storage ring = _outcomes[peerKey];
        if (ring[round % OUTCOME_RING] >> 192 == word >> 192) {
            ring[round % OUTCOME_RING] = word;
            return;
        }
        bool isHeld = word & HOLDS != 0;
        _parked[peerKey][round] = isHeld ? word : 0;
        if (!isHeld) _accounts[peerKey].earnedWei += uint96(_shareOf(word));
    }

    /// @dev The sum of a key's scores in the seven counted rounds before a round, or before the next one if it does not
    /// count.
    function _beforeOf(bytes32 peerKey, uint24 number) private view returns (uint256 sumMilli) {
        Account storage gains = _accounts[peerKey];
        uint24 next = number == 0 ? _totals[_lastCounted].number + 1 : number;
        return gains.lanes.ahead(next - gains.number).before();
    }

    function _hasOutcome(uint64 round, bytes32 peerKey) internal view returns (bool has) {
        uint256 word = _outcomes[peerKey][round % OUTCOME_RING];
        return word >> 192 == uint256(round) + 1 && uint8(word >> 16) != 0;
    }

    /// @dev A peer's word of a round, or 0 if none is stored (any more).
    function _wordOf(uint64 round, bytes32 peerKey) internal view returns (uint256 word) {
        word = _outcomes[peerKey][round % OUTCOME_RING];
        if (word >> 192 != uint256(round) + 1) word = _parked[peerKey][round];
    }

    /// @dev What the score in a word of the ring of outcomes earns; the word's round must be final.
    function _shareOf(uint256 word) internal view returns (uint256 amountWei) {
        uint256 weight = _weightOf(word);
        if (weight == 0 || word & HOLDS != 0) return 0;
        Totals storage totals = _totals[uint64(word >> 192) - 1];
        uint256 total = uint256(totals.weight) + totals.reserved;
        // Driving peers away gains the others nothing.
        if (total < totals.meanWeight) total = totals.meanWeight;
        return (EMISSION_WEI * weight) / total;
    }

    /// @dev Weight of the score in a word.
    function _weightOf(uint256 word) internal pure returns (uint256 weight) {
        return Weights.weightOf(uint16(word), uint16(word >> BEFORE_AT));
    }

    /// @dev What an appeal could add to the weight of a word with this score.
    function _reserveOf(uint256 word, uint256 scoreMilli) internal pure returns (uint32 reserve) {
        uint256 beforeMilli = uint16(word >> BEFORE_AT);
        return uint32(Weights.weightOf(Tally.MAX_SCORE, beforeMilli) - Weights.weightOf(scoreMilli, beforeMilli));
    }

    /// @dev Whether a word of a ring is of a final round: the current one is above r + k.
    function _isFinal(uint256 word, uint64 firstOpen) internal pure returns (bool isFinal) {
        return word != 0 && (word >> 192) + FINALITY_ROUNDS < firstOpen;
    }
}
