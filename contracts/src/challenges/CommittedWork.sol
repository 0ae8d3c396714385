// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICommittedWork} from "../interfaces/ICommittedWork.sol";
import {IPeerRegistry} from "../interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "../interfaces/IRewardVotes.sol";
import {IRolloutCommitments} from "../interfaces/IRolloutCommitments.sol";
import {IRounds} from "../interfaces/IRounds.sol";
import {Ballots} from "../libraries/Ballots.sol";
import {CommitteeWords} from "../libraries/CommitteeWords.sol";
import {SHARD_PEERS, tagOf} from "../libraries/Ring.sol";
import {Tally} from "../libraries/Tally.sol";

/// @title CommittedWork
/// @notice The part of `Challenges` that reads rounds, commitments and outcomes.
abstract contract CommittedWork is ICommittedWork {
    using CommitteeWords for uint256;

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

    /// @dev The votes that were revealed on a peer, in one word: for each position 48 bits: 16 for the vote, as in
    /// `Tally`, below 32 for the evaluator's number. It includes scores by the peer's own account, which settlement
    /// skips: a key that moves to that account after settlement must stay liable for its vote. It leaves out that
    /// account's `unavailable`, which no stake answers for: a seat never reads its own account's work.
    function _votesOn(uint64 round, bytes32 peerKey) internal view returns (uint256 word) {
        bytes32[] memory keys = new bytes32[](1);
        keys[0] = peerKey;
        uint32 ordinal = _commitments.ordinalsOf(round, keys)[0];
        (uint32 shard, uint256 place) = (ordinal / SHARD_PEERS, ordinal % SHARD_PEERS);
        uint256 committee = _votes.committeeWord(round, shard);
        for (uint8 position = 0; position < committee.sizeOf(); ++position) {
            uint256 ballot = _votes.ballotWord(round, shard, position);
            uint32 number = committee.numberAt(position);
            if (ballot >> 224 != tagOf(round) || ballot & Ballots.REVEALED == 0) continue;
            uint256 scores = _votes.scoresWord(round, shard, position, place >= Tally.LANES);
            uint256 lane = uint16(scores >> ((place % Tally.LANES) * 16));
            if (lane == Tally.UNAVAILABLE && _isOwn(peerKey, number)) continue;
            word |= ((uint256(number) << 16) | lane) << (48 * uint256(position));
        }
    }

    function _isOwn(bytes32 peerKey, uint32 number) internal view returns (bool isOwn) {
        IPeerRegistry registry = _votes.peerRegistry();
        return registry.accountOf(_votes.evaluatorAt(number)) == registry.accountOf(peerKey);
    }

    function _beaconOf(uint64 round) internal view returns (bytes32 beacon) {
        beacon = _rounds.beaconOf(round);
        if (beacon == 0) revert Challenges_NoBeacon(round);
    }
}
