// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Earnings} from "./Earnings.sol";
import {EvaluatorSeats} from "./EvaluatorSeats.sol";
import {IRulings} from "./interfaces/IRulings.sol";
import {OUTCOME_RING} from "./libraries/Ring.sol";
import {Tally} from "./libraries/Tally.sol";

/// @title Rulings
/// @notice The part of `RewardVotes` that holds, annuls and corrects outcomes for `Challenges`.
abstract contract Rulings is EvaluatorSeats, IRulings, Earnings {
    uint256 private constant ONE_HOLD = 1 << 24;

    modifier onlyChallenges() {
        _requireChallenges();
        _;
    }

    /// @inheritdoc IRulings
    function hold(uint64 round, bytes32 peerKey) external onlyChallenges {
        uint256[OUTCOME_RING] storage ring = _outcomes[peerKey];
        uint256 word = ring[round % OUTCOME_RING];
        if (word >> 192 != uint256(round) + 1) {
            _accounts[peerKey].earnedWei += uint96(_leave(peerKey, word));
            word = (uint256(round) + 1) << 192;
        }
        ring[round % OUTCOME_RING] = word + ONE_HOLD;
    }

    /// @inheritdoc IRulings
    function release(uint64 round, bytes32 peerKey) external onlyChallenges {
        _release(round, peerKey);
    }

    /// @inheritdoc IRulings
    function annul(uint64 round, bytes32 peerKey) external onlyChallenges returns (uint16 lostMilli) {
        return _annul(round, peerKey, Tally.OUTCOME_FALSE);
    }

    /// @inheritdoc IRulings
    function forfeit(uint64 round, bytes32 peerKey) external onlyChallenges returns (uint16 lostMilli) {
        if (uint8(_wordOf(round, peerKey) >> 16) < Tally.OUTCOME_FALSE) {
            lostMilli = _annul(round, peerKey, Tally.OUTCOME_WITHHELD);
        }
        _release(round, peerKey);
    }

    /// @inheritdoc IRulings
    function openAppeal(
        uint64 round,
        bytes32 peerKey,
        uint16 votedMilli
    ) external onlyChallenges returns (uint8 outcome, uint16 scoreMilli) {
        uint256 word = _wordOf(round, peerKey);
        (outcome, scoreMilli) = (uint8(word >> 16), uint16(word));
        // Nothing is settled, so there is nothing to hold.
        if (outcome == 0) return (0, 0);
        Totals storage totals = _totals[round];
        totals.reserved += _reserveOf(word, scoreMilli);
        // This gains nothing: later rounds are weighed with the committee's median until the case is closed.
        if (outcome == Tally.OUTCOME_UNAVAILABLE) _gain(peerKey, totals.number, votedMilli, votedMilli, 0);
        _setWord(round, peerKey, word + ONE_HOLD);
    }

    /// @inheritdoc IRulings
    function closeAppeal(
        uint64 round,
        bytes32 peerKey,
        uint16 settledMilli,
        uint8 outcome,
        uint16 scoreMilli
    ) external onlyChallenges returns (bool isMoot) {
        uint256 word = _wordOf(round, peerKey);
        _totals[round].reserved -= _reserveOf(word, settledMilli);
        isMoot = uint8(word >> 16) >= Tally.OUTCOME_FALSE;
        if (!isMoot) word = _rescore(round, peerKey, word, outcome, scoreMilli);
        _setWord(round, peerKey, word - ONE_HOLD);
    }

    /// @inheritdoc IRulings
    function blame(uint64 round, bytes32 evaluatorKey, Fault fault, address wronged) external onlyChallenges {
        if (fault == Fault.Overturned) _punish(round, evaluatorKey, OVERTURNED_MILLI, SEALED_MISSES, wronged);
        else _miss(round, evaluatorKey, true);
    }

    function _release(uint64 round, bytes32 peerKey) internal {
        _setWord(round, peerKey, _wordOf(round, peerKey) - ONE_HOLD);
    }

    /// @dev Once in the code, which is near the limit of a contract's size.
    function _requireChallenges() internal view {
        if (msg.sender != _stakes.challenges()) revert RewardVotes_NotChallenges(msg.sender);
    }
}
