// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "../interfaces/ICommittedWork.sol";
import {IRewardVotes} from "../interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../interfaces/IRolloutCommitments.sol";
import {IRounds} from "../interfaces/IRounds.sol";

/// @title CommittedWork
/// @notice The part of `Challenges` that knows the rounds, what was committed in them and what came of it.
abstract contract CommittedWork is ICommittedWork {
    IRewardVotes internal immutable _votes;
    IRolloutCommitments internal immutable _commitments;
    IRounds internal immutable _rounds;

    /// @param votes Keeps the outcomes.
    constructor(IRewardVotes votes) {
        _votes = votes;
        _commitments = votes.rolloutCommitments();
        _rounds = votes.rounds();
    }

    /// @dev Once in the code, which is near the limit of a contract's size.
    function _currentRound() internal view returns (uint64 round) {
        return _rounds.currentRound();
    }

    function _beaconOf(uint64 round) internal view returns (bytes32 beacon) {
        beacon = _rounds.beaconOf(round);
        if (beacon == 0) revert Challenges_NoBeacon(round);
    }
}
