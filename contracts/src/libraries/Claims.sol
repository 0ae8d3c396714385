// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Claims
/// @notice Storage of `SwarmCoordinator` for its callers' claims. No other contract reads it.
/// @dev Peers are keyed by the keccak of the string they gave, as in `PeerRegistry`.
library Claims {
    /// @dev A peer's row of RL Swarm's leaderboard.
    struct Imported {
        // slot 0
        bool isImported;
        uint64 wins;
        int128 rewards;
    }

    /// @custom:storage-location erc7201:waggle.storage.SwarmCoordinator
    struct Layout {
        mapping(bytes32 role => mapping(address account => bool)) roles;
        mapping(address account => string[]) peerIds;
        mapping(bytes32 peerKey => address) accounts;
        mapping(bytes32 peerKey => uint256) wins;
        mapping(uint256 round => mapping(bytes32 peerKey => string[])) votes;
        mapping(bytes32 peerKey => uint256) voteCounts;
        uint256 uniqueVoters;
        string[] bootnodes;
        mapping(uint256 round => mapping(uint256 stage => mapping(address account => int256))) roundRewards;
        mapping(uint256 round => mapping(uint256 stage => mapping(bytes32 peerKey => bool))) rewarded;
        mapping(bytes32 peerKey => int256) totalRewards;
        uint256 announcedRounds; // the last round announced under a computed schedule, + 1
        mapping(bytes32 peerKey => Imported) imported;
        uint256 importedCount;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("waggle.storage.SwarmCoordinator")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 internal constant LOCATION = 0xd19404c6fe7de33f73628bed8bb39c5f06576752267cb98edf6636e4641ca500;

    /// @dev The one instance.
    function layout() internal pure returns (Layout storage claims) {
        assembly {
            claims.slot := LOCATION
        }
    }
}
