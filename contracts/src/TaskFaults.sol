// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "./interfaces/IRolloutCommitments.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {ITaskFaults} from "./interfaces/ITaskFaults.sol";

/// @title TaskFaults
/// @notice The part of `Openings` that judges proposers.
abstract contract TaskFaults is ITaskFaults {
    /// @inheritdoc ITaskFaults
    uint16 public constant SECRET_FAULT_MILLI = 10;

    IRolloutCommitments internal immutable _commitments;
    IStakes internal immutable _stakes;
    IRounds internal immutable _rounds;

    mapping(uint64 round => mapping(bytes32 proposerKey => bool)) internal _withheld;

    /// @param commitments The commitments to work, and the tasks.
    constructor(IRolloutCommitments commitments) {
        _commitments = commitments;
        _stakes = commitments.stakes();
        _rounds = commitments.rounds();
    }

    /// @inheritdoc ITaskFaults
    function challengeSecret(uint64 round, bytes32 proposerKey) external returns (uint256 lostWei) {
        if (_withheld[round][proposerKey] || !_isWithheld(round, proposerKey)) {
            revert Openings_NothingWithheld(round, proposerKey);
        }
        _withheld[round][proposerKey] = true;
        lostWei = _stakes.slash(IStakes.Duty.Proposer, proposerKey, SECRET_FAULT_MILLI, address(0));
        emit SecretWithheld(round, proposerKey, lostWei, msg.sender);
    }

    /// @dev No secret is due if the beacon for its seed is void. Who has committed to one had the duty.
    function _isWithheld(uint64 round, bytes32 proposerKey) internal view returns (bool is_) {
        if (round < 2 || _rounds.currentRound() < round || _rounds.beaconOf(round - 2) == 0) return false;
        (bool committed, ) = _commitments.secretOf(round, proposerKey);
        (uint16 count, ) = _commitments.proposalOf(round, proposerKey);
        return committed && count == 0;
    }
}
