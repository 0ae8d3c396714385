// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IEarnings} from "./interfaces/IEarnings.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {FINALITY_ROUNDS, OUTCOME_RING} from "./libraries/Ring.sol";

/// @title Earnings
/// @notice The part of `RewardVotes` that keeps outcomes, points and what they earn.
abstract contract Earnings is IEarnings {
    /// @dev What a round's emission is shared by.
    struct Totals {
        // slot 0
        uint96 pointsMilli;
        uint32 reservedMilli; // what open appeals could add to the points
        uint32 heardShards; // of which a quorum revealed
        uint32 shards; // 0 while none is heard
        uint32 scoredPeers; // settled with points
    }

    /// @dev A peer's gains.
    struct Account {
        // slot 0
        uint128 pointsMilli; // of all settled rounds
        uint128 earnedWei; // of those rounds that its rings no longer hold
    }

    /// @inheritdoc IEarnings
    uint256 public constant EMISSION_WEI = 1_000 ether;

    /// @inheritdoc IEarnings
    uint16 public constant TOLERANCE_MILLI = 25;

    /// @dev Of a word of outcomes: how many challenges are open against it. Until they are closed it earns nothing.
    uint256 internal constant HOLDS = uint256(type(uint16).max) << 24;

    IRounds private immutable _clock;

    /// @dev The round + 1 in the upper 64 bits; from bit 24 on 16 bits of `HOLDS`, from bit 16 on 8 of outcome (0
    /// before settlement), then the score.
    mapping(bytes32 peerKey => uint256[OUTCOME_RING] words) internal _outcomes;

    /// @dev Words that were held when the ring came to their place.
    mapping(bytes32 peerKey => mapping(uint64 round => uint256 word)) internal _parked;

    mapping(bytes32 peerKey => Account account) internal _accounts;
    mapping(uint64 round => Totals totals) internal _totals;

    /// @param clock The clock.
    constructor(IRounds clock) {
        _clock = clock;
    }

    /// @inheritdoc IEarnings
    function points(bytes32 peerKey) external view returns (uint256 total) {
        return _accounts[peerKey].pointsMilli;
    }

    /// @inheritdoc IEarnings
    function roundPoints(uint64 round) external view returns (uint256 total) {
        return _totals[round].pointsMilli;
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

    /// @dev Writes down a peer's outcome, once, and adds its score to its points; the round's total is the caller's.
    function _recordOutcome(uint64 round, bytes32 peerKey, uint8 outcome, uint16 scoreMilli) internal {
        uint256[OUTCOME_RING] storage ring = _outcomes[peerKey];
        uint256 known = ring[round % OUTCOME_RING];
        uint256 word = (uint256(round) + 1) << 192;
        uint256 earnedWei = 0;
        if (known >> 192 == word >> 192) word |= known & HOLDS;
        else earnedWei = _leave(peerKey, known);
        ring[round % OUTCOME_RING] = word | (uint256(outcome) << 16) | scoreMilli;
        if (scoreMilli == 0 && earnedWei == 0) return;
        Account storage gains = _accounts[peerKey];
        gains.pointsMilli += scoreMilli;
        gains.earnedWei += uint128(earnedWei);
    }

    /// @dev Puts another outcome, without a score, in the place of the one that a round has, or in advance of it.
    function _annul(uint64 round, bytes32 peerKey, uint8 outcome) internal returns (uint16 lostMilli) {
        uint256 word = _wordOf(round, peerKey);
        if (word == 0) {
            _recordOutcome(round, peerKey, outcome, 0);
            return 0;
        }
        if (uint8(word >> 16) == outcome) revert RewardVotes_AlreadyAnnulled(round, peerKey);
        lostMilli = uint16(word);
        _setWord(round, peerKey, _withScore(word, outcome, 0));
        _accounts[peerKey].pointsMilli -= lostMilli;
        _totals[round].pointsMilli -= lostMilli;
    }

    /// @dev What a word of the ring leaves to its peer's account when another takes its place: it was final long ago,
    /// or is held, and then kept until it is not.
    function _leave(bytes32 peerKey, uint256 word) internal returns (uint256 earnedWei) {
        if (word & HOLDS == 0) return _shareOf(word);
        _parked[peerKey][uint64(word >> 192) - 1] = word;
    }

    /// @dev Changes a word that there is; the round's total must be right by then.
    function _setWord(uint64 round, bytes32 peerKey, uint256 word) internal {
        uint256[OUTCOME_RING] storage ring = _outcomes[peerKey];
        if (ring[round % OUTCOME_RING] >> 192 == word >> 192) {
            ring[round % OUTCOME_RING] = word;
            return;
        }
        bool isHeld = word & HOLDS != 0;
        _parked[peerKey][round] = isHeld ? word : 0;
        if (!isHeld) _accounts[peerKey].earnedWei += uint128(_shareOf(word));
    }

    function _hasOutcome(uint64 round, bytes32 peerKey) internal view returns (bool has) {
        uint256 word = _outcomes[peerKey][round % OUTCOME_RING];
        return word >> 192 == uint256(round) + 1 && uint8(word >> 16) != 0;
    }

    /// @dev A peer's word of a round, or 0 where none is known (any more).
    function _wordOf(uint64 round, bytes32 peerKey) internal view returns (uint256 word) {
        word = _outcomes[peerKey][round % OUTCOME_RING];
        if (word >> 192 != uint256(round) + 1) word = _parked[peerKey][round];
    }

    /// @dev What the score in a word of the ring of outcomes earns; the word's round must be final.
    function _shareOf(uint256 word) internal view returns (uint256 amountWei) {
        uint16 scoreMilli = uint16(word);
        if (scoreMilli == 0 || word & HOLDS != 0) return 0;
        Totals storage totals = _totals[uint64(word >> 192) - 1];
        return (EMISSION_WEI * scoreMilli) / (uint256(totals.pointsMilli) + totals.reservedMilli);
    }

    /// @dev A word with another outcome and score.
    function _withScore(uint256 word, uint8 outcome, uint16 scoreMilli) internal pure returns (uint256 changed) {
        return ((word >> 24) << 24) | (uint256(outcome) << 16) | scoreMilli;
    }

    /// @dev Whether a word of a ring is of a final round: the current one is above r + k.
    function _isFinal(uint256 word, uint64 firstOpen) internal pure returns (bool isFinal) {
        return word != 0 && (word >> 192) + FINALITY_ROUNDS < firstOpen;
    }
}
