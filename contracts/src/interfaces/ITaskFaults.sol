// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title ITaskFaults
/// @notice The fault of a proposer: it committed to a secret and did not reveal it with its tasks.
/// @dev Decided at once, from on-chain facts alone: nobody has to respond, and nobody posts a bond.
interface ITaskFaults {
    /// @notice Emitted when a proposer is shown to have withheld its secret.
    /// @param round The round that the secret was for.
    /// @param proposerKey The proposer.
    /// @param lostWei Nectar burnt from its stake; 0 if it has none, as in bootstrap.
    /// @param challenger Who proved it.
    event SecretWithheld(uint64 indexed round, bytes32 indexed proposerKey, uint256 lostWei, address challenger);

    /// @notice Thrown when no secret was withheld, or this was already proven.
    /// @param round The round.
    /// @param proposerKey The proposer.
    error Openings_NothingWithheld(uint64 round, bytes32 proposerKey);

    /// @notice Proves that a proposer committed to a secret for a round that has begun, and proposed nothing: it loses
    /// `SECRET_FAULT_MILLI` of a full stake, or what is left of it, once per round. Nobody is slashed if the beacon of
    /// round - 2 is void. Possible for six rounds, from the round itself on. Anyone may call.
    /// @param round The round.
    /// @param proposerKey The proposer.
    /// @return lostWei Nectar burnt.
    function challengeSecret(uint64 round, bytes32 proposerKey) external returns (uint256 lostWei);

    /// @notice Slash for a withheld secret.
    /// @return milli Thousandths of a proposer's full stake.
    function SECRET_FAULT_MILLI() external view returns (uint16 milli);
}
