// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Rounds} from "../src/Rounds.sol";
import {SwarmCoordinator} from "../src/SwarmCoordinator.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

/// @dev The coordinator behind its proxy, over a manual schedule that it moves on; this contract holds its roles.
abstract contract CoordinatorFixture is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);

    SwarmCoordinator internal coordinator;
    SwarmCoordinator internal implementation;

    function setUp() public virtual override {
        super.setUp();
        rounds = new Rounds(address(this), START, 0, ENVIRONMENT);
        coordinator = deployCoordinator();
        rounds.grantRole(rounds.ROUND_MANAGER_ROLE(), address(coordinator));
    }

    /// @dev Over the clock as it stands.
    function deployCoordinator() internal returns (SwarmCoordinator proxy) {
        implementation = new SwarmCoordinator(registry, rounds);
        bytes memory call = abi.encodeCall(SwarmCoordinator.initialize, (address(this)));
        return SwarmCoordinator(address(new ERC1967Proxy(address(implementation), call)));
    }

    function claim(address account, string memory peerId) internal {
        vm.prank(account);
        coordinator.registerPeer(peerId);
    }

    function report(address account, uint256 round, uint256 stage, int256 reward, string memory peerId) internal {
        vm.prank(account);
        coordinator.submitReward(round, stage, reward, peerId);
    }

    function nameWinners(address account, uint256 round, string[] memory winners, string memory peerId) internal {
        vm.prank(account);
        coordinator.submitWinners(round, winners, peerId);
    }

    function expectError(bytes4 selector) internal {
        vm.expectRevert(abi.encodePacked(selector));
    }

    function eoaOf(string memory peerId) internal view returns (address eoa) {
        return coordinator.getEoa(list(peerId))[0];
    }

    function peerIdsOf(address account) internal view returns (string[] memory peerIds) {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        return coordinator.getPeerId(accounts)[0];
    }

    function totalOf(string memory peerId) internal view returns (int256 total) {
        return coordinator.getTotalRewards(list(peerId))[0];
    }

    function sumOf(uint256 round, uint256 stage, address account) internal view returns (int256 sum) {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        return coordinator.getRoundStageReward(round, stage, accounts)[0];
    }

    function list(string memory one) internal pure returns (string[] memory strings) {
        strings = new string[](1);
        strings[0] = one;
    }

    function list(string memory one, string memory two) internal pure returns (string[] memory strings) {
        strings = new string[](2);
        (strings[0], strings[1]) = (one, two);
    }
}
