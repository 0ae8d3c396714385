// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ITaskFaults
/// @notice What a proposer loses stake by: a secret that it committed to and did not show with its tasks.
/// @dev Judged at once and from facts of the chain alone, so that nobody has to answer and nobody posts a bond.
interface ITaskFaults {
    /// @notice Emitted when a proposer is shown to have withheld its secret.
    /// @param round The round that the secret was for.
    /// @param proposerKey The proposer.
    /// @param lostWei Nectar that was burnt of its stake; 0 where it has none, as in bootstrap.
    /// @param challenger Who showed it.
    event SecretWithheld(uint64 indexed round, bytes32 indexed proposerKey, uint256 lostWei, address challenger);

    /// @notice Thrown when no secret was withheld, or that was shown already.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_NothingWithheld(uint64 round, bytes32 proposerKey);

    /// @notice Shows that a proposer committed to a secret for a round that has begun and proposed nothing: it loses
    /// `SECRET_FAULT_MILLI` of a full stake, once a round. Where the beacon of round - 2 is void nobody is blamed. For
    /// six rounds from the round on. Anyone may call.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @return lostWei Nectar that was burnt.
    function challengeSecret(uint64 round, bytes32 proposerKey) external returns (uint256 lostWei);

    /// @notice What a withheld secret costs.
    /// @return milli Thousandths of a proposer's full stake.
    function SECRET_FAULT_MILLI() external view returns (uint16 milli);
}
